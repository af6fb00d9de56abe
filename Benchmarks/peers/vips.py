"""libvips through pyvips: that of the wheel pyvips-binary, or with VIPS=system the distribution's."""

import os
import sys

os.environ["VIPS_CONCURRENCY"] = "1"
if os.environ.get("VIPS") == "system":
    # Without the wheel's module pyvips opens the system's library.
    sys.modules["_libvips"] = None

import pyvips

from peer import read, serve, write

pyvips.cache_set_max(0)


def open_pixels(file):
    image = pyvips.Image.new_from_file(file)
    image = image if image.hasalpha() else image.bandjoin(255)
    return pyvips.Image.new_from_memory(image.write_to_memory(), image.width, image.height, 4, "uchar").copy(
        interpretation="srgb")


def decode(file, width=None, height=None, dump=None, warm=None):
    data = read(file)
    if warm:
        pyvips.Image.new_from_buffer(read(warm), "").write_to_memory()

    def one():
        if width:
            return pyvips.Image.thumbnail_buffer(data, int(width), height=int(height))
        image = pyvips.Image.new_from_buffer(data, "")
        return image if image.hasalpha() else image.bandjoin(255)

    if dump:
        image = one()
        write(dump, (image if image.hasalpha() else image.bandjoin(255)).write_to_memory())
    return lambda: one().write_to_memory() and None


def encode(file, format, **options):
    image = open_pixels(file)
    options = {key: int(value) for key, value in options.items()}
    return lambda: {"bytes": len(image.write_to_buffer("." + format, **options))}


def resize(file, width, height, gap):
    image = open_pixels(file)

    def body():
        image.resize(
            int(width) / image.width, vscale=int(height) / image.height, kernel="lanczos3", gap=float(gap)
        ).write_to_memory()

    return body


def process(file, name):
    image = open_pixels(file)
    actions = {
        "sharpen": lambda: image.sharpen(),
        "grayscale": lambda: image.colourspace("b-w"),
        "rotate 90": lambda: image.rot90(),
        "rotate 15": lambda: image.rotate(15),
    }
    if name.startswith("blur "):
        radius = int(name.split()[1])
        return lambda: image.gaussblur(radius, precision="integer").write_to_memory() and None
    return lambda: actions[name]().write_to_memory() and None


def frames(file):
    data = read(file)
    return lambda: pyvips.Image.new_from_buffer(data, "n=-1").write_to_memory() and None


serve({"decode": decode, "encode": encode, "resize": resize, "process": process, "frames": frames})
