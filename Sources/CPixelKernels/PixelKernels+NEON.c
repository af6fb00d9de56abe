#if defined(__aarch64__)

#include <arm_neon.h>

#include "PixelKernels.h"

// round(v / 255) for v up to 255 * 255.
static inline uint8x8_t divide255(uint16x8_t v) {
    v = vaddq_u16(v, vdupq_n_u16(128));
    return vshrn_n_u16(vsraq_n_u16(v, v, 8), 8);
}

static uint8_t premultiply(uint8_t *dst, const uint8_t *src, size_t pixels) {
    uint8x8_t all = vdup_n_u8(255);
    size_t i = 0;
    for (; i + 8 <= pixels; i += 8) {
        uint8x8x4_t v = vld4_u8(src + i * 4);
        all = vand_u8(all, v.val[3]);
        for (int c = 0; c < 3; c++) v.val[c] = divide255(vmull_u8(v.val[c], v.val[3]));
        vst4_u8(dst + i * 4, v);
    }
    uint64_t lanes = vget_lane_u64(vreinterpret_u64_u8(all), 0);
    lanes &= lanes >> 32;
    lanes &= lanes >> 16;
    lanes &= lanes >> 8;
    return (uint8_t)lanes & ck_premultiply_plain(dst + i * 4, src + i * 4, pixels - i);
}

// (255 c + a / 2) / a by float division, exact once cut off; see the SSE2 form.
static inline uint16x4_t divide(uint16x4_t color, float32x4_t alpha, uint32x4_t half) {
    const uint32x4_t top = vaddq_u32(vmull_n_u16(color, 255), half);
    return vqmovn_u32(vcvtq_u32_f32(vdivq_f32(vcvtq_f32_u32(top), alpha)));
}

static void unpremultiply(uint8_t *dst, const uint8_t *src, size_t pixels) {
    size_t i = 0;
    for (; i + 8 <= pixels; i += 8) {
        uint8x8x4_t v = vld4_u8(src + i * 4);
        const uint16x8_t alpha = vmovl_u8(v.val[3]);
        // Division by zero would give infinity; the colour of alpha 0 is masked off below.
        const uint8x8_t isVisible = vtst_u8(v.val[3], v.val[3]);
        const uint32x4_t low = vmovl_u16(vget_low_u16(alpha)), high = vmovl_u16(vget_high_u16(alpha));
        const float32x4_t lowAlpha = vcvtq_f32_u32(vmaxq_u32(low, vdupq_n_u32(1)));
        const float32x4_t highAlpha = vcvtq_f32_u32(vmaxq_u32(high, vdupq_n_u32(1)));
        for (int c = 0; c < 3; c++) {
            const uint16x8_t color = vmovl_u8(v.val[c]);
            const uint16x8_t straight = vcombine_u16(
                divide(vget_low_u16(color), lowAlpha, vshrq_n_u32(low, 1)),
                divide(vget_high_u16(color), highAlpha, vshrq_n_u32(high, 1)));
            v.val[c] = vand_u8(vqmovn_u16(straight), isVisible);
        }
        vst4_u8(dst + i * 4, v);
    }
    ck_unpremultiply_plain(dst + i * 4, src + i * 4, pixels - i);
}

static void expand_rgb(uint8_t *dst, const uint8_t *src, size_t pixels) {
    size_t i = 0;
    for (; i + 16 <= pixels; i += 16) {
        const uint8x16x3_t v = vld3q_u8(src + i * 3);
        const uint8x16x4_t out = {{v.val[0], v.val[1], v.val[2], vdupq_n_u8(255)}};
        vst4q_u8(dst + i * 4, out);
    }
    ck_expand_rgb_plain(dst + i * 4, src + i * 3, pixels - i);
}

static void expand_gray(uint8_t *dst, const uint8_t *src, size_t pixels) {
    size_t i = 0;
    for (; i + 16 <= pixels; i += 16) {
        const uint8x16_t v = vld1q_u8(src + i);
        const uint8x16x4_t out = {{v, v, v, vdupq_n_u8(255)}};
        vst4q_u8(dst + i * 4, out);
    }
    ck_expand_gray_plain(dst + i * 4, src + i, pixels - i);
}

static void drop_alpha(uint8_t *dst, const uint8_t *src, size_t pixels) {
    size_t i = 0;
    for (; i + 16 <= pixels; i += 16) {
        const uint8x16x4_t v = vld4q_u8(src + i * 4);
        const uint8x16x3_t out = {{v.val[0], v.val[1], v.val[2]}};
        vst3q_u8(dst + i * 3, out);
    }
    ck_drop_alpha_plain(dst + i * 3, src + i * 4, pixels - i);
}

// MARK: PNG row filters

static inline uint8x8_t paeth8(uint8x8_t a, uint8x8_t b, uint8x8_t c) {
    const uint16x8_t pa = vabdl_u8(b, c), pb = vabdl_u8(a, c);
    const uint16x8_t pc = vabdq_u16(vaddl_u8(a, b), vaddl_u8(c, c));
    const uint8x8_t takesA = vmovn_u16(vandq_u16(vcleq_u16(pa, pb), vcleq_u16(pa, pc)));
    return vbsl_u8(takesA, a, vbsl_u8(vmovn_u16(vcleq_u16(pb, pc)), b, c));
}

// One pixel a step: each needs the one to its left. Reads up to 8 bytes past the row, writes only the pixel.
static inline __attribute__((always_inline)) void unfilter_pixels(
    uint8_t *row, const uint8_t *previous, size_t bytes, unsigned stride, unsigned filter) {
    uint8x8_t a = vdup_n_u8(0), c = a;
    for (size_t i = 0; i < bytes; i += stride) {
        const uint8x8_t x = vld1_u8(row + i);
        if (filter == 1) {
            a = vadd_u8(a, x);
        } else {
            const uint8x8_t b = vld1_u8(previous + i);
            a = vadd_u8(x, filter == 3 ? vhadd_u8(a, b) : paeth8(a, b, c));
            c = b;
        }
        uint8_t pixel[8];
        vst1_u8(pixel, a);
        memcpy(row + i, pixel, stride);
    }
}

static void png_unfilter(uint8_t *row, const uint8_t *previous, size_t bytes, unsigned stride, unsigned filter) {
    if (filter == 2) {
        size_t i = 0;
        for (; i + 16 <= bytes; i += 16) vst1q_u8(row + i, vaddq_u8(vld1q_u8(row + i), vld1q_u8(previous + i)));
        for (; i < bytes; i++) row[i] += previous[i];
        return;
    }
    if (filter == 0 || filter > 4) return;
#define CK_CASE(STRIDE)                                                              \
    case STRIDE:                                                                     \
        if (filter == 1) unfilter_pixels(row, previous, bytes, STRIDE, 1);           \
        else if (filter == 3) unfilter_pixels(row, previous, bytes, STRIDE, 3);      \
        else unfilter_pixels(row, previous, bytes, STRIDE, 4);                       \
        break;
    switch (stride) {
        CK_CASE(3)
        CK_CASE(4)
        CK_CASE(6)
        CK_CASE(8)
        default: ck_png_unfilter_plain(row, previous, bytes, stride, filter);
    }
#undef CK_CASE
}

static inline __attribute__((always_inline)) uint64_t filter_row(
    uint8_t *dst, const uint8_t *row, const uint8_t *previous, size_t bytes, unsigned stride, unsigned filter) {
    uint64x2_t sum = vdupq_n_u64(0);
    size_t i = 0;
    for (; i + 16 <= bytes; i += 16) {
        const uint8x16_t a = vld1q_u8(row + i - stride), b = vld1q_u8(previous + i);
        uint8x16_t guess = a;
        if (filter == 2) guess = b;
        if (filter == 3) guess = vhaddq_u8(a, b);
        if (filter == 4) {
            const uint8x16_t c = vld1q_u8(previous + i - stride);
            guess = vcombine_u8(
                paeth8(vget_low_u8(a), vget_low_u8(b), vget_low_u8(c)),
                paeth8(vget_high_u8(a), vget_high_u8(b), vget_high_u8(c)));
        }
        const uint8x16_t v = vsubq_u8(vld1q_u8(row + i), guess);
        vst1q_u8(dst + i, v);
        const uint8x16_t size = vreinterpretq_u8_s8(vabsq_s8(vreinterpretq_s8_u8(v)));
        sum = vpadalq_u32(sum, vpaddlq_u16(vpaddlq_u8(size)));
    }
    return vgetq_lane_u64(sum, 0) + vgetq_lane_u64(sum, 1)
        + ck_png_filter_plain(dst, row, previous, i, bytes, stride, filter);
}

static uint64_t png_filter(
    uint8_t *dst, const uint8_t *row, const uint8_t *previous, size_t bytes, unsigned stride, unsigned filter) {
    switch (filter) {
        case 1: return filter_row(dst, row, previous, bytes, stride, 1);
        case 2: return filter_row(dst, row, previous, bytes, stride, 2);
        case 3: return filter_row(dst, row, previous, bytes, stride, 3);
        case 4: return filter_row(dst, row, previous, bytes, stride, 4);
        default: return ck_png_filter_plain(dst, row, previous, 0, bytes, stride, filter);
    }
}

const ck_pixel_kernels ck_pixel_kernels_neon = {
    premultiply, unpremultiply, expand_rgb, expand_gray, drop_alpha, png_unfilter, png_filter,
};

#endif
