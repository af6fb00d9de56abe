#include "ResamplePlain.h"

// Pairs: number i of both rows side by side, as on x86.

static void horizontal(const uint8_t *const *rows, int pairCount, int width, int16_t *scratch, long scratchStride,
                       const ck_resample_axis *axis, int16_t *const *pairs) {
    (void)scratch;
    (void)scratchStride;
    const int32_t bias = ck_horizontal_bias(axis->shift);
    const int shift = axis->shift - 7;
    for (int row = 0; row < pairCount * 2; row++) {
        int16_t *out = pairs[row / 2] + row % 2;
        for (int x = 0; x < axis->count; x++) {
            const int start = axis->starts[x];
            const int taps = axis->taps < width - start ? axis->taps : width - start;
            const uint8_t *pixel = rows[row] + (long)start * 4;
            const int16_t *weights = axis->weights + (long)x * axis->taps;
            int32_t sums[4] = {bias, bias, bias, bias};
            for (int tap = 0; tap < taps; tap++, pixel += 4)
                for (int channel = 0; channel < 4; channel++) sums[channel] += pixel[channel] * weights[tap];
            for (int channel = 0; channel < 4; channel++) out[channel * 2] = ck_saturate16(sums[channel] >> shift);
            out += 8;
        }
    }
}

static void vertical(const int16_t *const *pairs, const int16_t *weights, int pairCount, int shift, uint8_t *out,
                     int count) {
    const int32_t bias = ck_vertical_bias(shift);
    for (int i = 0; i < count; i++) {
        int32_t sum = bias;
        for (int pair = 0; pair < pairCount; pair++)
            sum += pairs[pair][i * 2] * weights[pair * 2] + pairs[pair][i * 2 + 1] * weights[pair * 2 + 1];
        out[i] = ck_saturate8(sum >> (shift + 7));
        if (i % 4 == 3) ck_clamp_to_alpha(out + i - 3);
    }
}

static void accumulate(const int16_t *pair, float first, float second, float *sums, int count) {
#pragma STDC FP_CONTRACT OFF
    for (int i = 0; i < count; i++) {
        const float a = first * (float)pair[i * 2];
        const float b = second * (float)pair[i * 2 + 1];
        const float both = a + b;
        sums[i] = sums[i] + both;
    }
}

const ck_resample_kernels ck_resample_plain = {horizontal, vertical, accumulate};
