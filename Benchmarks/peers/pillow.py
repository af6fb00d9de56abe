"""Pillow, the current wheel."""

import io
import threading

from PIL import AvifImagePlugin, Image, ImageDraw, ImageFilter, ImageSequence

from peer import read, serve, write


AvifImagePlugin.DEFAULT_MAX_THREADS = 1


def plugins(data):
    """HEIC and JPEG XL come from wheels of their own. One thread for each, as for everybody."""
    if data[4:8] == b"ftyp" and b"avif" not in data[8:32]:
        import pillow_heif
        pillow_heif.register_heif_opener(decode_threads=1)
    elif data[:2] == b"\xff\x0a" or data[4:8] == b"JXL ":
        from pillow_jxl import JpegXLImagePlugin
        JpegXLImagePlugin.DECODE_THREADS = 0


def decode(file, width=None, height=None, threads=1, dump=None, warm=None):
    data = read(file)
    plugins(data)
    if warm:
        Image.open(io.BytesIO(read(warm))).convert("RGBA")

    def one():
        image = Image.open(io.BytesIO(data))
        if width:
            image.thumbnail((int(width), int(height)), Image.LANCZOS)
        elif image.mode == "RGBA":
            image.load()
        else:
            image = image.convert("RGBA")
        return image

    if dump:
        write(dump, one().convert("RGBA").tobytes())
    if int(threads) == 1:
        return lambda: one() and None

    count = 12 * int(threads)

    def several():
        rest = iter(range(count))

        def work():
            for _ in rest:
                one()

        workers = [threading.Thread(target=work) for _ in range(int(threads))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    return several, count


def encode(file, format, **options):
    image = Image.open(file).convert("RGBA")

    def body():
        result = io.BytesIO()
        image.save(result, format, **options)
        return {"bytes": result.tell()}

    return body


def resize(file, width, height, mode="RGBA"):
    pixels = Image.open(file).convert("RGBA")
    # RGBX is the quickest mode with four bytes a pixel; RGBA premultiplies and divides again.
    image = Image.frombuffer(mode, pixels.size, pixels.tobytes(), "raw", mode, 0, 1)
    return lambda: image.resize((int(width), int(height)), Image.LANCZOS) and None


def process(file, name):
    image = Image.open(file).convert("RGBA")

    def masked(draw):
        mask = Image.new("L", (1024, 1024))
        draw(ImageDraw.Draw(mask))
        result = image.copy()
        result.putalpha(mask.resize((512, 512), Image.LANCZOS))

    processors = {
        "sharpen": lambda: image.filter(ImageFilter.UnsharpMask(1, 50, 0)),
        "grayscale": lambda: image.convert("LA").convert("RGBA"),
        "rotate 90": lambda: image.transpose(Image.ROTATE_90),
        "rotate 15": lambda: image.rotate(15, Image.BICUBIC, expand=True),
        "circle": lambda: masked(lambda draw: draw.ellipse((0, 0, 1023, 1023), 255)),
        "rounded": lambda: masked(lambda draw: draw.rounded_rectangle((0, 0, 1023, 1023), 128, 255)),
    }
    if name.startswith("blur "):
        radius = int(name.split()[1])
        return lambda: image.filter(ImageFilter.GaussianBlur(radius)) and None
    return lambda: processors[name]() and None


def frames(file):
    data = read(file)

    def body():
        for frame in ImageSequence.Iterator(Image.open(io.BytesIO(data))):
            frame.convert("RGBA")

    return body


serve({"decode": decode, "encode": encode, "resize": resize, "process": process, "frames": frames})
