#include "ColorKernels.h"

typedef float pixel __attribute__((vector_size(16)));
typedef int32_t numbers __attribute__((vector_size(16)));

static inline pixel load(const uint8_t *bytes) {
    return (pixel){(float)bytes[0], (float)bytes[1], (float)bytes[2], (float)bytes[3]};
}

static inline pixel clamp(pixel value, float most) {
    const pixel zero = {0, 0, 0, 0}, top = {most, most, most, most};
    const numbers low = value < zero;
    value = (pixel)(~low & (numbers)value);
    const numbers high = value > top;
    return (pixel)((high & (numbers)top) | (~high & (numbers)value));
}

static inline void store(uint8_t *out, pixel value, uint8_t alpha) {
    const pixel half = {0.5f, 0.5f, 0.5f, 0.5f};
    value = clamp(value, alpha) + half;
    out[0] = (uint8_t)(int32_t)value[0];
    out[1] = (uint8_t)(int32_t)value[1];
    out[2] = (uint8_t)(int32_t)value[2];
    out[3] = alpha;
}

void ck_apply_color_matrix(const uint8_t *source, uint8_t *out, size_t pixels, const ck_color_matrix *matrix) {
    pixel columns[4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) columns[i][j] = matrix->columns[i][j];
    for (size_t i = 0; i < pixels; i++, source += 4, out += 4) {
        const pixel value = load(source);
        store(out,
              value[0] * columns[0] + value[1] * columns[1] + value[2] * columns[2] + value[3] * columns[3],
              source[3]);
    }
}

void ck_sharpen(const uint8_t *source, const uint8_t *blurred, uint8_t *out, size_t pixels, float amount,
                float threshold) {
    for (size_t i = 0; i < pixels; i++, source += 4, blurred += 4, out += 4) {
        const pixel value = load(source);
        const float ratio = source[3] == blurred[3] ? 1.0f : blurred[3] == 0 ? 0.0f : source[3] / (float)blurred[3];
        const pixel difference = value - load(blurred) * ratio;
        const float least = threshold * source[3] / 255;
        pixel result = value;
        for (int channel = 0; channel < 3; channel++)
            if (difference[channel] >= least || difference[channel] <= -least)
                result[channel] += amount * difference[channel];
        store(out, result, source[3]);
    }
}
