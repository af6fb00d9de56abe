#pragma once

// The plain form of the resampling kernels, and what all forms use for the last few numbers of a row.

#include <stdint.h>
#include <string.h>

#include "ResampleKernels.h"

static inline int16_t ck_saturate16(int32_t value) {
    return value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : (int16_t)value;
}

static inline uint8_t ck_saturate8(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

/// What is added before the shift of the horizontal pass: rounding, less 128.
static inline int32_t ck_horizontal_bias(int shift) { return (1 << (shift - 8)) - (128 << shift); }

/// What is added before the shift of the vertical pass: rounding, and the 128 that the pairs are short of.
static inline int32_t ck_vertical_bias(int shift) { return (1 << (shift + 6)) + (128 << (shift + 7)); }

/// Keeps premultiplied colours within their alpha: negative lobes can bring them above it.
static inline void ck_clamp_to_alpha(uint8_t *pixel) {
    for (int channel = 0; channel < 3; channel++)
        if (pixel[channel] > pixel[3]) pixel[channel] = pixel[3];
}
