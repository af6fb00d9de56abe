#include "ColorKernels.h"

typedef float pixel __attribute__((vector_size(16)));
typedef int32_t numbers_of_pixel __attribute__((vector_size(16)));

static inline pixel load(const uint8_t *bytes) {
    return (pixel){(float)bytes[0], (float)bytes[1], (float)bytes[2], (float)bytes[3]};
}

static inline pixel clamp(pixel value, float most) {
    const pixel zero = {0, 0, 0, 0}, top = {most, most, most, most};
    const numbers_of_pixel low = value < zero;
    value = (pixel)(~low & (numbers_of_pixel)value);
    const numbers_of_pixel high = value > top;
    return (pixel)((high & (numbers_of_pixel)top) | (~high & (numbers_of_pixel)value));
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

static inline void store_light(uint8_t *out, pixel value, const uint8_t *numbers) {
    const numbers_of_pixel steps = __builtin_convertvector(clamp(value, 65535.0f), numbers_of_pixel);
    out[0] = numbers[steps[0]];
    out[1] = numbers[steps[1]];
    out[2] = numbers[steps[2]];
}

void ck_convert_matrix8(const uint8_t *source, uint8_t *out, size_t pixels, const float (*products)[4],
                        const uint8_t *numbers) {
    const pixel *red = (const pixel *)products, *green = red + 256, *blue = green + 256;
    for (size_t i = 0; i < pixels; i++, source += 4, out += 4) {
        const uint8_t alpha = source[3];
        store_light(out, red[source[0]] + green[source[1]] + blue[source[2]], numbers);
        out[3] = alpha;
    }
}

// Between two of 4,097 numbers.
static inline float light_at(const float *light, uint16_t sample) {
    const float place = sample * (4096.0f / 65535.0f);
    const int32_t index = (int32_t)place;
    const int32_t lower = index < 4095 ? index : 4095;
    return light[lower] + (light[lower + 1] - light[lower]) * (place - (float)lower);
}

void ck_convert_matrix16(const uint16_t *source, uint8_t *out, size_t pixels, const float *light,
                         const float (*columns)[4], const uint8_t *numbers) {
    pixel column[3];
    for (int channel = 0; channel < 3; channel++)
        for (int i = 0; i < 4; i++) column[channel][i] = columns[channel][i];
    const pixel half = {0.5f, 0.5f, 0.5f, 0.5f};
    for (size_t i = 0; i < pixels; i++, source += 4, out += 4) {
        const float red = light_at(light, source[0]), green = light_at(light + 4097, source[1]),
                    blue = light_at(light + 2 * 4097, source[2]);
        store_light(out, red * column[0] + green * column[1] + blue * column[2] + half, numbers);
        out[3] = (uint8_t)((source[3] * 255u + 32895u) >> 16);
    }
}
