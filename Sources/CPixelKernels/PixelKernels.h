#pragma once

// Private to this target: the tables of the forms, and the plain loops that the others use for what is left over.

#include <stdlib.h>
#include <string.h>

#include "PixelConversion.h"

extern const ck_pixel_kernels ck_pixel_kernels_plain;
#if defined(__x86_64__)
extern const ck_pixel_kernels ck_pixel_kernels_sse2;
extern const ck_pixel_kernels ck_pixel_kernels_avx2;
#elif defined(__aarch64__)
extern const ck_pixel_kernels ck_pixel_kernels_neon;
#endif

// round(v / 255) for v up to 255 * 255.
static inline uint8_t ck_divide255(unsigned v) {
    v += 128;
    return (uint8_t)((v + (v >> 8)) >> 8);
}

static inline uint8_t ck_premultiply_plain(uint8_t *dst, const uint8_t *src, size_t pixels) {
    uint8_t all = 255;
    for (size_t i = 0; i < pixels; i++, src += 4, dst += 4) {
        const unsigned alpha = src[3];
        all &= alpha;
        dst[0] = ck_divide255(src[0] * alpha);
        dst[1] = ck_divide255(src[1] * alpha);
        dst[2] = ck_divide255(src[2] * alpha);
        dst[3] = (uint8_t)alpha;
    }
    return all;
}

static inline void ck_unpremultiply_plain(uint8_t *dst, const uint8_t *src, size_t pixels) {
    for (size_t i = 0; i < pixels; i++, src += 4, dst += 4) {
        const unsigned alpha = src[3];
        for (int c = 0; c < 3; c++) {
            const unsigned v = alpha ? (src[c] * 255u + alpha / 2) / alpha : 0;
            dst[c] = (uint8_t)(v > 255 ? 255 : v);
        }
        dst[3] = (uint8_t)alpha;
    }
}

static inline void ck_expand_rgb_plain(uint8_t *dst, const uint8_t *src, size_t pixels) {
    for (size_t i = 0; i < pixels; i++, src += 3, dst += 4) {
        dst[0] = src[0];
        dst[1] = src[1];
        dst[2] = src[2];
        dst[3] = 255;
    }
}

static inline void ck_expand_gray_plain(uint8_t *dst, const uint8_t *src, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        const uint32_t v = src[i];
        dst[i * 4] = (uint8_t)v;
        dst[i * 4 + 1] = (uint8_t)v;
        dst[i * 4 + 2] = (uint8_t)v;
        dst[i * 4 + 3] = 255;
    }
}

static inline void ck_drop_alpha_plain(uint8_t *dst, const uint8_t *src, size_t pixels) {
    for (size_t i = 0; i < pixels; i++, src += 4, dst += 3) {
        dst[0] = src[0];
        dst[1] = src[1];
        dst[2] = src[2];
    }
}

// PNG spec 9.4: the neighbour nearest to a + b - c; ties go to left, then above.
static inline unsigned ck_paeth(int a, int b, int c) {
    const int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return (unsigned)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

static inline void ck_png_unfilter_plain(
    uint8_t *row, const uint8_t *previous, size_t bytes, unsigned stride, unsigned filter) {
    const size_t first = stride < bytes ? stride : bytes;
    switch (filter) {
        case 1:
            for (size_t i = stride; i < bytes; i++) row[i] += row[i - stride];
            break;
        case 2:
            for (size_t i = 0; i < bytes; i++) row[i] += previous[i];
            break;
        case 3:
            for (size_t i = 0; i < first; i++) row[i] += previous[i] / 2;
            for (size_t i = first; i < bytes; i++) row[i] += (uint8_t)((row[i - stride] + previous[i]) / 2);
            break;
        case 4:
            for (size_t i = 0; i < first; i++) row[i] += previous[i];
            for (size_t i = first; i < bytes; i++) {
                row[i] += (uint8_t)ck_paeth(row[i - stride], previous[i], previous[i - stride]);
            }
            break;
        default: break;
    }
}

static inline uint64_t ck_png_filter_plain(
    uint8_t *dst, const uint8_t *row, const uint8_t *previous, size_t start, size_t bytes, unsigned stride,
    unsigned filter) {
    uint64_t sum = 0;
    const uint8_t *left = row - stride, *corner = previous - stride;
    for (size_t i = start; i < bytes; i++) {
        unsigned guess = 0;
        switch (filter) {
            case 1: guess = left[i]; break;
            case 2: guess = previous[i]; break;
            case 3: guess = (left[i] + previous[i]) / 2u; break;
            case 4: guess = ck_paeth(left[i], previous[i], corner[i]); break;
            default: break;
        }
        const uint8_t v = (uint8_t)(row[i] - guess);
        dst[i] = v;
        sum += v < 128 ? v : 256u - v;
    }
    return sum;
}
