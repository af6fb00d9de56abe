#include "PixelKernels.h"

static uint8_t premultiply(uint8_t *dst, const uint8_t *src, size_t pixels) {
    return ck_premultiply_plain(dst, src, pixels);
}
static void unpremultiply(uint8_t *dst, const uint8_t *src, size_t pixels) {
    ck_unpremultiply_plain(dst, src, pixels);
}
static void expand_rgb(uint8_t *dst, const uint8_t *src, size_t pixels) { ck_expand_rgb_plain(dst, src, pixels); }
static void expand_gray(uint8_t *dst, const uint8_t *src, size_t pixels) { ck_expand_gray_plain(dst, src, pixels); }
static void drop_alpha(uint8_t *dst, const uint8_t *src, size_t pixels) { ck_drop_alpha_plain(dst, src, pixels); }
static void png_unfilter(uint8_t *row, const uint8_t *previous, size_t bytes, unsigned stride, unsigned filter) {
    ck_png_unfilter_plain(row, previous, bytes, stride, filter);
}
static uint64_t png_filter(
    uint8_t *dst, const uint8_t *row, const uint8_t *previous, size_t bytes, unsigned stride, unsigned filter) {
    return ck_png_filter_plain(dst, row, previous, 0, bytes, stride, filter);
}

const ck_pixel_kernels ck_pixel_kernels_plain = {
    premultiply, unpremultiply, expand_rgb, expand_gray, drop_alpha, png_unfilter, png_filter,
};

const ck_pixel_kernels *ck_pixel_kernels_form(ck_form form) {
    switch (form) {
        case CK_FORM_PLAIN: return &ck_pixel_kernels_plain;
#if defined(__x86_64__)
        case CK_FORM_SSE2: return &ck_pixel_kernels_sse2;
        case CK_FORM_AVX2: return __builtin_cpu_supports("avx2") ? &ck_pixel_kernels_avx2 : 0;
#elif defined(__aarch64__)
        case CK_FORM_NEON: return &ck_pixel_kernels_neon;
#endif
        default: return 0;
    }
}

const ck_pixel_kernels *ck_pixel_kernels_best(void) {
    static const ck_form order[] = {CK_FORM_AVX2, CK_FORM_SSE2, CK_FORM_NEON};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const ck_pixel_kernels *kernels = ck_pixel_kernels_form(order[i]);
        if (kernels) return kernels;
    }
    return &ck_pixel_kernels_plain;
}
