"""Images to measure with, made here and always the same: nothing needs to be downloaded or copied."""

import os

import numpy
from PIL import Image, ImageDraw, ImageFilter

# To be raised when what is made changes.
VERSION = 2


def field(random, height, width, slope):
    """Noise whose amplitudes fall with the frequency as they do in photographs."""
    frequency = numpy.hypot(numpy.fft.fftfreq(height)[:, None], numpy.fft.rfftfreq(width)[None, :]).astype(numpy.float32)
    frequency[0, 0] = 1
    spectrum = numpy.fft.rfft2(random.standard_normal((height, width), numpy.float32)) / frequency**slope
    result = numpy.fft.irfft2(spectrum, (height, width))
    return (result - result.mean()) / result.std()


def photograph(width, height, seed=1):
    """Ground with the spectrum of nature, things that hide one another with sharp edges, and a sensor's noise."""
    random = numpy.random.default_rng(seed)
    light = field(random, height, width, 1.3)
    tints = [Image.fromarray(field(random, height // 4, width // 4, 1.6)).resize((width, height), Image.BILINEAR)
             for _ in range(3)]
    ground = numpy.stack([120 + 34 * light + 14 * numpy.asarray(tint) for tint in tints], -1)
    things = Image.new("RGBA", (width, height))
    draw = ImageDraw.Draw(things)
    for _ in range(900):
        # As many small things for each large one as there are in a forest.
        radius = width * 0.004 / random.random() ** 0.6
        x, y = random.random(2) * (width, height)
        color = tuple(int(value) for value in random.integers(30, 220, 3)) + (220,)
        draw.ellipse((x - radius, y - radius * random.uniform(0.3, 1), x + radius, y + radius), color)
    things = numpy.asarray(things.filter(ImageFilter.BoxBlur(1)), numpy.float32)
    cover = things[..., 3:] / 255
    ground += (things[..., :3] * 0.8 + 16 * light[..., None] - ground) * cover
    ground += random.standard_normal((height, width, 1), numpy.float32) * 2
    return Image.fromarray(numpy.clip(ground, 0, 255).astype(numpy.uint8))


def with_alpha(image):
    """Transparent towards a corner, soft at the edge, opaque in the middle."""
    width, height = image.size
    y, x = numpy.mgrid[0:height, 0:width]
    distance = numpy.hypot(x / width - 0.5, y / height - 0.5)
    alpha = numpy.clip((0.62 - distance) * 6, 0, 1) * 255
    result = image.copy()
    result.putalpha(Image.fromarray(alpha.astype(numpy.uint8)))
    return result


class Inputs:
    def __init__(self, folder, is_quick):
        self.folder = os.path.join(folder, f"{VERSION}-{'quick' if is_quick else 'full'}")
        self.divisor = 5 if is_quick else 1
        self.is_quick = is_quick
        os.makedirs(self.folder, exist_ok=True)
        self._photograph = None

    def file(self, name, make):
        """The path of a file, which `make` writes if it is not there."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            # The extension tells the format, and stays at the end.
            temporary = os.path.join(self.folder, "new-" + name)
            make(temporary)
            os.rename(temporary, path)
        return path

    def side(self, length):
        return max(8, length // self.divisor)

    def photograph(self, width, height):
        if self._photograph is None:
            path = self.file("photograph.png", lambda path: photograph(self.side(4000), self.side(3000)).save(path))
            self._photograph = Image.open(path).convert("RGB")
        size = self.side(width), self.side(height)
        return self._photograph if size == self._photograph.size else self._photograph.resize(size, Image.LANCZOS)

    def still(self, width, height, extension, has_alpha=False, tag="", **options):
        """A photograph of this size as a file, saved with Pillow's options."""
        def make(path):
            if extension == "heic":
                import pillow_heif
                pillow_heif.register_heif_opener()
            elif extension == "jxl":
                import pillow_jxl  # noqa: F401
            image = self.photograph(width, height)
            (with_alpha(image) if has_alpha else image).save(path, **options)

        return self.file(f"{width}x{height}{'-alpha' if has_alpha else ''}{tag}.{extension}", make)

    def icon(self, extension, **options):
        def make(path):
            image = self.photograph(1600, 1200).crop((100, 50, 228, 178)).resize((64, 64), Image.LANCZOS)
            (image if extension == "jpg" else with_alpha(image)).save(path, **options)

        return self.file(f"icon.{extension}", make)

    def frames(self, width, height, count):
        """First the camera moves over the photograph, then it stands and a thing moves through the image."""
        photo = self.photograph(1600, 1200).resize((width * 3 // 2, height * 3 // 2), Image.LANCZOS)
        thing = with_alpha(self.photograph(1600, 1200).resize((width // 5, height // 5), Image.LANCZOS))
        for index in range(count):
            pan = min(index, count // 2)
            x, y = pan * width // 2 // count, pan * height // 2 // count
            frame = photo.crop((x, y, x + width, y + height))
            if index > count // 2:
                along = (index - count // 2) / (count // 2)
                frame.paste(thing, (int(along * width * 0.8), int((0.4 + 0.3 * numpy.sin(along * 9)) * height)), thing)
            yield frame

    def animation(self, width, height, count, extension):
        count = min(count, 8) if self.is_quick else count
        width, height = self.side(width), self.side(height)

        def make(path):
            frames = list(self.frames(width, height, count))
            options = {"save_all": True, "duration": 40, "loop": 0}
            if extension == "gif":
                palette = frames[0].quantize(256)
                frames = [frame.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG) for frame in frames]
            elif extension == "webp":
                options |= {"quality": 75, "method": 2}
            frames[0].save(path, append_images=frames[1:], **options)

        return self.file(f"animation-{width}x{height}-{count}.{extension}", make)

    def long_animation(self):
        """1600×900, 400 frames, less than a megabyte: a small thing moves over a plain ground."""
        count = 12 if self.is_quick else 400
        width, height = self.side(1600), self.side(900)

        def make(path):
            ground = Image.new("P", (width, height))
            ground.putpalette([value for index in range(256) for value in (index, 255 - index, index // 2)])
            draw = ImageDraw.Draw(ground)
            for stripe in range(0, width, 40):
                draw.rectangle((stripe, 0, stripe + 39, height), stripe // 40 % 64)
            frames = []
            for index in range(count):
                frame = ground.copy()
                x, y = index * 7 % (width - 40), index * 3 % (height - 40)
                ImageDraw.Draw(frame).ellipse((x, y, x + 38, y + 38), 200 + index % 50)
                frames.append(frame)
            frames[0].save(path, save_all=True, append_images=frames[1:], duration=40, loop=0, optimize=False)

        return self.file(f"long-{count}.gif", make)

    def many(self, kind, count, make):
        """A folder of `count` files; `make` gives the bytes and the name of each."""
        folder = os.path.join(self.folder, f"{kind}-{count}")
        if not os.path.exists(folder):
            temporary = folder + "-new"
            os.makedirs(temporary, exist_ok=True)
            for number in range(count):
                name, data = make(number)
                with open(os.path.join(temporary, name), "wb") as file:
                    file.write(data)
            os.rename(temporary, folder)
        return folder

    def downloads(self, count):
        """Files of 5 to 45 KB that look like PNG to whoever sees their first bytes only."""
        random = numpy.random.default_rng(2)

        def make(number):
            return str(number), b"\x89PNG\r\n\x1a\n" + random.bytes(int(random.integers(5000, 45000)))

        return self.many("downloads", count, make)

    def jpegs(self, count):
        """Distinct JPEGs of about 20 KB."""
        import io

        photo = self.photograph(4000, 3000)
        random = numpy.random.default_rng(3)

        def make(number):
            x, y = (int(random.integers(0, side - 450)) for side in photo.size)
            result = io.BytesIO()
            photo.crop((x, y, x + 440 + number % 7, y + 330)).save(result, "JPEG", quality=85)
            return f"{number}.jpg", result.getvalue()

        return self.many("jpegs", count, make)
