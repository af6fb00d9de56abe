#pragma once

#include <stddef.h>
#include <stdint.h>

/// Colours as sums of colours: red' = red * columns[0][0] + green * columns[1][0] + blue * columns[2][0]
/// + alpha * columns[3][0], and so on; the fourth column holds offsets, as parts of full brightness. On premultiplied
/// pixels this is what the same sums do to straight ones. Alpha stays, and colours are kept from 0 to alpha.
typedef struct {
    float columns[4][4];
} ck_color_matrix;

void ck_apply_color_matrix(const uint8_t *source, uint8_t *out, size_t pixels, const ck_color_matrix *matrix);

/// source + amount * (source - blurred) where they differ by `threshold` at least; colours are compared straight, so
/// that the edges of transparent areas do not glow. Alpha stays, and colours are kept from 0 to alpha.
void ck_sharpen(const uint8_t *source, const uint8_t *blurred, uint8_t *out, size_t pixels, float amount,
                float threshold);

// Straight RGBA to straight sRGB RGBA8 through light: a curve for each channel, sums of the three lights, and the curve of
// sRGB, which `numbers` holds in 65,536 steps. Alpha stays (of 16 bits rounded to 8).

/// `products` holds, for each channel and each of its 256 numbers, what it adds to red, green and blue (and a fourth
/// number that does not count), in steps of `numbers`; one channel's also half a step, for rounding. `out` may be `source`.
void ck_convert_matrix8(const uint8_t *source, uint8_t *out, size_t pixels, const float (*products)[4],
                        const uint8_t *numbers);

/// The same for 16 bits a channel in the CPU's byte order: light in 4,096 steps (4,097 numbers a channel), and what each
/// channel's light adds to red, green and blue.
void ck_convert_matrix16(const uint16_t *source, uint8_t *out, size_t pixels, const float *light,
                         const float (*columns)[4], const uint8_t *numbers);
