"""Changing decoded pixels."""

from ..comparison import most, times


def rows(lab):
    photo, small = lab.inputs.still(1600, 1200, "png"), lab.inputs.still(512, 512, "png")
    everybody = ["Pillow", "libvips wheel"]
    for name, peers, bars in lab.some([
        ("blur 10", everybody, [times("Pillow", 3)]), ("blur 2", everybody, []), ("blur 40", everybody, []),
        ("sharpen", everybody, []), ("rotate 90", everybody, []), ("rotate 15", everybody, []),
        ("circle", ["Pillow"], [most("wall", 1e-3, 1e-3, "ms")]),
        ("rounded", ["Pillow"], [most("wall", 1e-3, 1e-3, "ms")]),
        ("blurhash", [], []), ("thumbhash", [], []),
    ]):
        is_small = name in ("circle", "rounded", "blurhash", "thumbhash")
        yield from lab.compare(
            "processors", f"{name}, {'512×512' if is_small else '1600×1200'}",
            lab.peers("process", peers, file=small if is_small else photo, name=name), bars, is_pinned=True).rows()
