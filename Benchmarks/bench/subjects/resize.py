"""Resizing decoded pixels."""

from ..comparison import OURS, Contender, times


def rows(lab):
    for size, target, bars in lab.some([
        ((1600, 1200), (400, 300), [times("Pillow RGBA", 10)]
         + [times(f"libvips wheel, gap {gap}", 1.5) for gap in (0, 2)]),
        ((4000, 3000), (1024, 768), [times(f"libvips wheel, gap {gap}", 1.1) for gap in (0, 2)]),
        ((1600, 1200), (128, 96), []), ((400, 300), (1600, 1200), []),
    ]):
        keys = {"file": lab.inputs.still(*size, "png"), "width": lab.inputs.side(target[0]),
                "height": lab.inputs.side(target[1])}
        contenders = [Contender(OURS, "resize", keys)]
        contenders += [Contender("Pillow", "resize", {**keys, "mode": mode}, f"Pillow {mode}") for mode in ("RGBX", "RGBA")]
        contenders += [
            Contender(vips, "resize", {**keys, "gap": gap}, f"{vips}, gap {gap}")
            for vips, gap in (("libvips wheel", 0), ("libvips wheel", 2), ("libvips Debian", 0))]
        contenders.append(Contender("ImageMagick", "resize", keys))
        yield from lab.compare(
            "resize", f"{size[0]}×{size[1]} → {target[0]}×{target[1]}, Lanczos3", contenders, bars,
            is_pinned=True).rows()
