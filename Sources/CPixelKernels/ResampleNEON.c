#include "ResamplePlain.h"

#if defined(__aarch64__)

#include <arm_neon.h>

// There is no instruction that multiplies pairs and adds, but one that multiplies a pixel by one of four weights.
// Pairs: a pixel of the upper row, then the one below it. Scratch pixels: just widened.

/// Widens pixels `from` up to `to`; both are multiples of 4, or `to` is the width.
static void unpack(const uint8_t *row, int16_t *scratch, int from, int to) {
    int x = from;
    for (; x + 4 <= to; x += 4) {
        const uint8x16_t pixels = vld1q_u8(row + (long)x * 4);
        vst1q_s16(scratch + (long)x * 4, vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(pixels))));
        vst1q_s16(scratch + (long)x * 4 + 8, vreinterpretq_s16_u16(vmovl_high_u8(pixels)));
    }
    for (; x < to; x++)
        for (int channel = 0; channel < 4; channel++) scratch[(long)x * 4 + channel] = row[(long)x * 4 + channel];
}

static inline int32x4_t weigh(int32x4_t sum, const int16_t *pixels, int16x4_t weights) {
    const int16x8_t first = vld1q_s16(pixels), second = vld1q_s16(pixels + 8);
    sum = vmlal_lane_s16(sum, vget_low_s16(first), weights, 0);
    sum = vmlal_high_lane_s16(sum, first, weights, 1);
    sum = vmlal_lane_s16(sum, vget_low_s16(second), weights, 2);
    return vmlal_high_lane_s16(sum, second, weights, 3);
}

static void horizontal(const uint8_t *const *rows, int pairCount, int width, int16_t *scratch, long scratchStride,
                       const ck_resample_axis *axis, int16_t *const *pairs) {
    const int32x4_t bias = vdupq_n_s32(ck_horizontal_bias(axis->shift));
    const int32x4_t shift = vdupq_n_s32(7 - axis->shift);
    int unpacked = 0;
    for (int block = 0; block < axis->count; block += 32) {
        // Only as far as this block needs, so that it is still in the first cache when it is read.
        const int end = block + 32 < axis->count ? block + 32 : axis->count;
        int needed = (axis->starts[end - 1] + axis->taps + 3) & ~3;
        if (needed > width || end == axis->count) needed = width;
        if (needed > unpacked) {
            for (int row = 0; row < pairCount * 2; row++)
                unpack(rows[row], scratch + row * scratchStride, unpacked, needed);
            unpacked = needed;
        }
        for (int pair = 0; pair < pairCount; pair++) {
            const int16_t *upper = scratch + pair * 2 * scratchStride;
            const int16_t *lower = upper + scratchStride;
            for (int x = block; x < end; x++) {
                const long start = (long)axis->starts[x] * 4;
                const int16_t *weights = axis->weights + (long)x * axis->taps;
                int32x4_t a = bias, b = bias;
                for (int tap = 0; tap < axis->taps; tap += 4) {
                    const int16x4_t four = vld1_s16(weights + tap);
                    a = weigh(a, upper + start + tap * 4, four);
                    b = weigh(b, lower + start + tap * 4, four);
                }
                const int16x4_t first = vqmovn_s32(vshlq_s32(a, shift));
                const int16x4_t second = vqmovn_s32(vshlq_s32(b, shift));
                vst1q_s16(pairs[pair] + (long)x * 8, vcombine_s16(first, second));
            }
        }
    }
}

static inline int32x4_t weigh_pair(int32x4_t sum, const int16_t *pixel, int16x4_t weights) {
    const int16x8_t both = vld1q_s16(pixel);
    return vmlal_high_lane_s16(vmlal_lane_s16(sum, vget_low_s16(both), weights, 0), both, weights, 1);
}

static void vertical(const int16_t *const *pairs, const int16_t *weights, int pairCount, int shift, uint8_t *out,
                     int count) {
    static const uint8_t alphas[16] = {3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15};
    const uint8x16_t places = vld1q_u8(alphas);
    const int32x4_t bias = vdupq_n_s32(ck_vertical_bias(shift));
    const int32x4_t right = vdupq_n_s32(-(shift + 7));
    for (int i = 0; i < count; i += 16) {
        int32x4_t a = bias, b = bias, c = bias, d = bias;
        for (int pair = 0; pair < pairCount; pair++) {
            int32_t two;
            memcpy(&two, weights + pair * 2, sizeof two);
            const int16x4_t weight = vreinterpret_s16_s32(vdup_n_s32(two));
            const int16_t *p = pairs[pair] + (long)i * 2;
            a = weigh_pair(a, p, weight);
            b = weigh_pair(b, p + 8, weight);
            c = weigh_pair(c, p + 16, weight);
            d = weigh_pair(d, p + 24, weight);
        }
        const int16x8_t low = vqmovn_high_s32(vqmovn_s32(vshlq_s32(a, right)), vshlq_s32(b, right));
        const int16x8_t high = vqmovn_high_s32(vqmovn_s32(vshlq_s32(c, right)), vshlq_s32(d, right));
        uint8x16_t bytes = vqmovun_high_s16(vqmovun_s16(low), high);
        bytes = vminq_u8(bytes, vqtbl1q_u8(bytes, places));
        if (i + 16 <= count) {
            vst1q_u8(out + i, bytes);
        } else {
            uint8_t last[16];
            vst1q_u8(last, bytes);
            memcpy(out + i, last, (unsigned long)(count - i));
        }
    }
}

static void accumulate(const int16_t *pair, float first, float second, float *sums, int count) {
#pragma STDC FP_CONTRACT OFF
    for (int i = 0; i < count; i += 4) {
        const int16x8_t both = vld1q_s16(pair + (long)i * 2);
        const float32x4_t upper = vmulq_n_f32(vcvtq_f32_s32(vmovl_s16(vget_low_s16(both))), first);
        const float32x4_t lower = vmulq_n_f32(vcvtq_f32_s32(vmovl_high_s16(both)), second);
        vst1q_f32(sums + i, vaddq_f32(vld1q_f32(sums + i), vaddq_f32(upper, lower)));
    }
}

const ck_resample_kernels ck_resample_neon = {horizontal, vertical, accumulate};

#endif
