"""Pillow and libvips changing decoded pixels, one thread each: the cases of `tintype-bench processors`."""

import os

os.environ["VIPS_CONCURRENCY"] = "1"

from PIL import Image, ImageDraw, ImageFilter

from measure import measure
from pictures import picture

large = Image.frombuffer("RGBA", (1600, 1200), picture(1600, 1200).tobytes(), "raw", "RGBA", 0, 1)
small = Image.frombuffer("RGBA", (512, 512), picture(512, 512).tobytes(), "raw", "RGBA", 0, 1)

for radius in (2, 10, 40):
    measure("processors", f"blur {radius} 1600x1200", "pillow", lambda: large.filter(ImageFilter.GaussianBlur(radius)))
measure("processors", "sharpen 1600x1200", "pillow", lambda: large.filter(ImageFilter.UnsharpMask(1, 50, 0)))
measure("processors", "rotate 90 1600x1200", "pillow", lambda: large.transpose(Image.ROTATE_90))
measure("processors", "rotate 15 1600x1200", "pillow", lambda: large.rotate(15, Image.BICUBIC, expand=True))


def masked(draw):
    mask = Image.new("L", (1024, 1024))
    draw(ImageDraw.Draw(mask))
    result = small.copy()
    result.putalpha(mask.resize((512, 512), Image.LANCZOS))
    return result


measure("processors", "circle 512x512", "pillow", lambda: masked(lambda draw: draw.ellipse((0, 0, 1023, 1023), 255)))
measure(
    "processors", "rounded 512x512", "pillow",
    lambda: masked(lambda draw: draw.rounded_rectangle((0, 0, 1023, 1023), 128, 255)))

try:
    import pyvips
except ImportError:
    pyvips = None
if pyvips:
    pyvips.cache_set_max(0)
    source = pyvips.Image.new_from_memory(picture(1600, 1200).tobytes(), 1600, 1200, 4, "uchar")
    source = source.copy(interpretation="srgb")
    for radius in (2, 10, 40):
        measure(
            "processors", f"blur {radius} 1600x1200", "vips",
            lambda: source.gaussblur(radius, precision="integer").write_to_memory())
