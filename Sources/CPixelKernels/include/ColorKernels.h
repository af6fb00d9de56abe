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
