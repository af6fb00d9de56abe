"""Decoding and encoding still images."""

import os
import tempfile

import numpy
from PIL import Image

from ..comparison import OURS, Contender, cost, least, most, times

VIPS = ["libvips wheel", "libvips Debian"]
ALL = ["Pillow", *VIPS, "ImageMagick"]


def faster(pillow, vips):
    return [times("Pillow", pillow)] + [times(name, vips) for name in VIPS]


def rows(lab):
    inputs = lab.inputs
    jpeg = inputs.still(1600, 1200, "jpg", quality=88)
    large = inputs.still(4000, 3000, "jpg", quality=88)
    png, rgba = inputs.still(1600, 1200, "png"), inputs.still(1600, 1200, "png", has_alpha=True)
    icons = {"PNG": inputs.icon("png"), "JPEG": inputs.icon("jpg", quality=88), "WebP": inputs.icon("webp", quality=80)}

    def decode(job, file, bars=(), peers=ALL, **options):
        return lab.compare("stills", job, lab.peers("decode", peers, file=file), bars, is_pinned=True, **options).rows()

    yield from decode("1600×1200 baseline JPEG → RGBA", jpeg, faster(1.35, 1.7))
    for width, height, file, bars in lab.some([
        (256, 192, large, faster(1.2, 1.1) + [least("psnr", 50, unit="dB")]), (1024, 768, large, faster(2, 1.5)),
        (400, 300, jpeg, faster(1.5, 1.2)),
    ]):
        yield from thumbnail(lab, file, width, height, bars)
    yield from lab.compare(
        "stills", "4000×3000 JPEG → 256: memory",
        lab.peers("decode", ALL, file=large, width=256, height=192, warm=icons["JPEG"]),
        [most("peak", 4e6, 1e6, "MB")], turns=3).rows()
    for job, file in lab.some([("RGB", png), ("RGBA", rgba)]):
        yield from decode(f"1600×1200 PNG {job} → RGBA", file, faster(2.2, 1.6))
    for name, file in lab.some(list(icons.items())):
        yield from decode(f"64×64 icon, {name}", file, faster(2 if name == "WebP" else 3, 8))
    for job, file in lab.some([
        ("lossy", inputs.still(1600, 1200, "webp", quality=80, method=4)),
        ("lossless", inputs.still(1600, 1200, "webp", tag="-lossless", lossless=True, method=2, quality=50)),
    ]):
        yield from decode(f"1600×1200 WebP, {job}", file, faster(1.2, 1.7))
    for extension, peers, options in lab.some([
        ("avif", ALL, {"quality": 65, "speed": 8}),
        # The wheel of libvips knows neither, Debian's ImageMagick not the latter.
        ("heic", ["Pillow", "libvips Debian", "ImageMagick"], {"quality": 65}),
        ("jxl", ["Pillow", "libvips Debian"], {"quality": 88, "effort": 3}),
    ]):
        yield from decode(
            f"1600×1200 {extension.upper()}", inputs.still(1600, 1200, extension, **options), [times("the best", 1)],
            peers)
    if not lab.is_quick:
        yield from decode(
            "1600×1200 progressive JPEG → RGBA",
            inputs.still(1600, 1200, "jpg", tag="-progressive", quality=88, progressive=True))
        yield from thumbnail(
            lab, inputs.still(4000, 3000, "jpg", tag="-progressive", quality=88, progressive=True), 256, 192, (),
            "progressive ")
    yield from png_encoding(lab, rgba)
    for job, keys in lab.some([
        ("1600×1200 JPEG", {"file": jpeg}), ("4000×3000 JPEG → 256", {"file": large, "width": 256, "height": 192}),
        ("1600×1200 PNG RGB", {"file": png}),
    ]):
        contenders = [
            Contender(OURS, "decode", {**keys, "threads": 2}),
            Contender(OURS, "decode", keys, "one thread"),
            Contender("Pillow", "decode", {**keys, "threads": 2}, "Pillow, two threads"),
        ]
        yield from lab.compare(
            "stills", f"{job}, two threads", contenders, [times("one thread", 1.8)], seconds=0.2).rows()


def thumbnail(lab, file, width, height, bars, prefix=""):
    """With the distance to a full decode and Lanczos, which a ratio means little without."""
    source = Image.open(file)
    name = "4000×3000" if "4000" in os.path.basename(file) else "1600×1200"
    job = f"{name} {prefix}JPEG → {width}"
    width, height = lab.inputs.side(width), lab.inputs.side(height)
    reference = numpy.asarray(source.convert("RGB").resize((width, height), Image.LANCZOS), numpy.float64)
    with tempfile.TemporaryDirectory() as folder:
        contenders = lab.peers("decode", ALL, file=file, width=width, height=height)
        for number, contender in enumerate(contenders):
            contender.keys = {**contender.keys, "dump": os.path.join(folder, str(number))}
        comparison = lab.compare("stills", job, contenders, bars, is_pinned=True)
        rows = comparison.run()
        for contender in contenders:
            if not os.path.exists(contender.keys["dump"]):
                continue
            pixels = numpy.fromfile(contender.keys["dump"], numpy.uint8)
            if pixels.size == width * height * 4:
                error = pixels.reshape(height, width, 4)[..., :3] - reference
                rows[contender.name].figures["psnr"] = float(10 * numpy.log10(255**2 / max(1e-9, numpy.mean(error**2))))
    return comparison.judged(rows)


def png_encoding(lab, file):
    """Time, and size: within 3 % of the best peer's."""
    contenders = [
        Contender(OURS, "encode", {"file": file, "format": "png"}),
        Contender(OURS, "encode", {"file": file, "format": "png", "effort": 1}, "tintype, effort 1"),
        Contender("Pillow", "encode", {"file": file, "format": "png"}),
        Contender("libvips wheel", "encode", {"file": file, "format": "png"}),
        Contender("libvips wheel", "encode", {"file": file, "format": "png", "filter": 0xF8}, "libvips wheel, all filters"),
        Contender("libvips Debian", "encode", {"file": file, "format": "png"}),
        Contender("ImageMagick", "encode", {"file": file, "format": "png"}),
    ]
    return lab.compare(
        "stills", "PNG encode of 1600×1200 RGBA", contenders, [times("Pillow", 3), cost("the best", 1.03, "bytes")],
        turns=5, is_pinned=True).rows()
