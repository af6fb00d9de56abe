"""The picture that tintype-bench measures with, as far as speed depends on it."""

import numpy


def picture(width, height):
    random = numpy.random.default_rng(1)
    pixels = numpy.zeros((height, width, 4), numpy.uint8)
    y, x = numpy.mgrid[0:height, 0:width]
    edge = (x // 37 + y // 53) % 2 * 60
    pixels[..., 0] = x * 120 // width + edge + random.integers(0, 16, (height, width))
    pixels[..., 1] = y * 120 // height + edge + random.integers(0, 16, (height, width))
    pixels[..., 2] = (x + y) * 60 // width + edge
    pixels[..., 3] = 255
    return pixels
