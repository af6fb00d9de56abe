"""Pillow and libvips scaling decoded pixels, one thread each: the cases of `tintype-bench resize`."""

import os

os.environ["VIPS_CONCURRENCY"] = "1"

from PIL import Image

from measure import measure
from pictures import picture

CASES = [
    (1600, 1200, 400, 300), (4000, 3000, 1024, 768), (1600, 1200, 128, 96), (512, 512, 128, 128), (64, 64, 32, 32),
    (1600, 1200, 1500, 1125), (400, 300, 1600, 1200),
]

for width, height, to_width, to_height in CASES:
    pixels = picture(width, height)
    case = f"{width}x{height}->{to_width}x{to_height} lanczos3"
    # RGBX is Pillow's quickest mode with four bytes a pixel; RGBA premultiplies and divides again.
    for mode in ("RGBX", "RGBA"):
        image = Image.frombuffer(mode, (width, height), pixels.tobytes(), "raw", mode, 0, 1)
        measure("resize", case, f"pillow {mode}", lambda: image.resize((to_width, to_height), Image.LANCZOS))
    try:
        import pyvips
    except ImportError:
        continue
    pyvips.cache_set_max(0)
    source = pyvips.Image.new_from_memory(pixels.tobytes(), width, height, 4, "uchar").copy(interpretation="srgb")
    for gap in (0, 2):
        measure(
            "resize", case, f"vips gap={gap}",
            lambda: source.resize(to_width / width, vscale=to_height / height, kernel="lanczos3", gap=gap)
            .write_to_memory())
