#pragma once

#include <stdint.h>

/// A rotation about the centre of an image of premultiplied RGBA.
typedef struct {
    int32_t width, height;
    /// Of the angle, counter-clockwise.
    double sine, cosine;
    /// Premultiplied; the colour outside of the image.
    uint8_t background[4];
} ck_rotation;

/// Writes `width` x `height` pixels of the turned image, the middles of both in the same place. Each is interpolated
/// from 4 x 4 source pixels; those outside of the image are transparent, and the result lies over the background.
void ck_rotate(const uint8_t *source, long sourceStride, const ck_rotation *rotation, uint8_t *out, long stride,
               int width, int height);
