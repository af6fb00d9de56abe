"""Moving images."""

from ..comparison import OURS, Contender, cost, most, times

PEERS = ["Pillow", "libvips wheel", "libvips Debian"]


def rows(lab):
    def every_frame(job, file, bars, peers=PEERS):
        return lab.compare(
            "animation", job, lab.peers("frames", peers, file=file), bars, turns=5, is_pinned=True).rows()

    large = lab.inputs.animation(978, 720, 125, "gif")
    yield from every_frame(
        "978×720 GIF, all 125 frames", large, [times("Pillow", 2)] + [times(name, 4) for name in PEERS[1:]])
    for name, extension in lab.some([("GIF", "gif"), ("WebP", "webp"), ("APNG", "png")]):
        # libvips does not know APNG.
        peers = PEERS if extension != "png" else ["Pillow"]
        yield from every_frame(
            f"500×500 {name}, all 60 frames", lab.inputs.animation(500, 500, 60, extension), [times("the best", 1.1)],
            peers)
    hundred = lab.inputs.animation(500, 500, 100, "webp")
    yield from lab.compare(
        "animation", "500×500 WebP, slowest of 100 jumps", [
            Contender(OURS, "random frame", {"file": hundred}),
            Contender(OURS, "frames", {"file": hundred, "per": "frame"}, "one frame in order"),
        ], [cost("one frame in order", 15)], turns=5, is_pinned=True).rows()
    long = lab.inputs.long_animation()
    yield from lab.compare(
        "animation", "1600×900 GIF of 400 frames, two loops",
        [Contender(OURS, "play", {"file": long})], [most("peak", 80e6, 1e6, "MB")], turns=0, seconds=0).rows()
    yield from lab.compare(
        "animation", "the same as a still",
        [Contender(OURS, "poster", {"file": long}),
         Contender(OURS, "frames", {"file": long, "per": "frame"}, "one frame in order"),
         Contender("Pillow", "decode", {"file": long}), Contender("libvips wheel", "decode", {"file": long})],
        turns=5, is_pinned=True).rows()
