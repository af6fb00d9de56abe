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
    if (!ck_has_form(form)) return 0;
    switch (form) {
        case CK_FORM_PLAIN: return &ck_pixel_kernels_plain;
#if defined(__x86_64__)
        case CK_FORM_SSE2: return &ck_pixel_kernels_sse2;
        case CK_FORM_AVX2: return &ck_pixel_kernels_avx2;
#elif defined(__aarch64__)
        case CK_FORM_NEON: return &ck_pixel_kernels_neon;
#endif
        default: return 0;
    }
}

const ck_pixel_kernels *ck_pixel_kernels_best(void) {
    const ck_pixel_kernels *kernels = ck_pixel_kernels_form(ck_best_form());
    return kernels ? kernels : &ck_pixel_kernels_plain;
}
