"""ImageMagick's library in this process, through Wand."""

import os

os.environ["MAGICK_THREAD_LIMIT"] = "1"

from wand.image import Image

from peer import read, serve, write


def decode(file, width=None, height=None, dump=None, warm=None):
    data = read(file)
    if warm:
        Image(blob=read(warm)).make_blob("RGBA")

    def one():
        image = Image()
        if width:
            # The JPEG reader shrinks while it decodes.
            image.options["jpeg:size"] = f"{2 * int(width)}x{2 * int(height)}"
        image.read(blob=data)
        if width:
            image.resize(int(width), int(height), "lanczos")
        image.depth = 8
        with image:
            return image.make_blob("RGBA")

    if dump:
        write(dump, one())
    return lambda: one() and None


def encode(file, format):
    image = Image(filename=file)
    return lambda: {"bytes": len(image.make_blob(format))}


def resize(file, width, height):
    source = Image(filename=file)
    source.alpha_channel = "set"

    def body():
        with source.clone() as image:
            image.resize(int(width), int(height), "lanczos")

    return body


serve({"decode": decode, "encode": encode, "resize": resize})
