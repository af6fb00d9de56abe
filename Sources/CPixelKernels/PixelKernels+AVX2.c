#if defined(__x86_64__)

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

#include <immintrin.h>

#include "PNGUnfilter+SSE2.h"

// Two pixels in each 128-bit half, in 16-bit lanes, times their alphas; the alphas themselves kept.
static inline __m256i premultiply4(__m256i wide) {
    const __m256i keep = _mm256_set1_epi64x(0x00FF000000000000);
    __m256i alpha = _mm256_shufflelo_epi16(wide, _MM_SHUFFLE(3, 3, 3, 3));
    alpha = _mm256_or_si256(_mm256_shufflehi_epi16(alpha, _MM_SHUFFLE(3, 3, 3, 3)), keep);
    const __m256i t = _mm256_add_epi16(_mm256_mullo_epi16(wide, alpha), _mm256_set1_epi16(128));
    return _mm256_srli_epi16(_mm256_add_epi16(t, _mm256_srli_epi16(t, 8)), 8);
}

static uint8_t premultiply(uint8_t *dst, const uint8_t *src, size_t pixels) {
    const __m256i zero = _mm256_setzero_si256(), alphaMask = _mm256_set1_epi32((int)0xFF000000u);
    __m256i all = _mm256_set1_epi32(-1);
    size_t i = 0;
    for (; i + 8 <= pixels; i += 8) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(src + i * 4));
        all = _mm256_and_si256(all, v);
        __m256i out = v;
        if (!_mm256_testc_si256(v, alphaMask)) {
            out = _mm256_packus_epi16(
                premultiply4(_mm256_unpacklo_epi8(v, zero)), premultiply4(_mm256_unpackhi_epi8(v, zero)));
        }
        _mm256_storeu_si256((__m256i *)(dst + i * 4), out);
    }
    const __m128i half = _mm_and_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    uint32_t lanes[4];
    _mm_storeu_si128((__m128i *)lanes, half);
    const uint8_t rest = ck_premultiply_plain(dst + i * 4, src + i * 4, pixels - i);
    return (uint8_t)((lanes[0] & lanes[1] & lanes[2] & lanes[3]) >> 24) & rest;
}

// Two pixels; see the SSE2 form for why cutting off the quotient is exact.
static inline __m256i unpremultiply2(const uint8_t *p) {
    const __m256i wide = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
    const __m256i alpha = _mm256_shuffle_epi32(wide, _MM_SHUFFLE(3, 3, 3, 3));
    const __m256i scaled = _mm256_sub_epi32(_mm256_slli_epi32(wide, 8), wide);
    const __m256i top = _mm256_add_epi32(scaled, _mm256_srli_epi32(alpha, 1));
    return _mm256_cvttps_epi32(_mm256_div_ps(_mm256_cvtepi32_ps(top), _mm256_cvtepi32_ps(alpha)));
}

static void unpremultiply(uint8_t *dst, const uint8_t *src, size_t pixels) {
    const __m256i alphaMask = _mm256_set1_epi32((int)0xFF000000u), zero = _mm256_setzero_si256();
    // What the packing of 128-bit halves leaves: pixels 0 2 4 6 | 1 3 5 7.
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    size_t i = 0;
    for (; i + 8 <= pixels; i += 8) {
        const uint8_t *p = src + i * 4;
        const __m256i v = _mm256_loadu_si256((const __m256i *)p);
        __m256i out = v;
        if (!_mm256_testc_si256(v, alphaMask)) {
            const __m256i alpha = _mm256_and_si256(v, alphaMask);
            if (_mm256_testz_si256(v, alphaMask)) {
                out = zero;
            } else {
                const __m256i low = _mm256_packs_epi32(unpremultiply2(p), unpremultiply2(p + 8));
                const __m256i high = _mm256_packs_epi32(unpremultiply2(p + 16), unpremultiply2(p + 24));
                __m256i color = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
                color = _mm256_andnot_si256(alphaMask, color);
                const __m256i isClear = _mm256_cmpeq_epi32(alpha, zero);
                out = _mm256_or_si256(_mm256_andnot_si256(isClear, color), alpha);
            }
        }
        _mm256_storeu_si256((__m256i *)(dst + i * 4), out);
    }
    ck_unpremultiply_plain(dst + i * 4, src + i * 4, pixels - i);
}

static void expand_rgb(uint8_t *dst, const uint8_t *src, size_t pixels) {
    const __m256i opaque = _mm256_set1_epi32((int)0xFF000000u);
    const __m256i spread = _mm256_setr_epi8(
        0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, 0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    size_t i = 0;
    // The second load reads 4 bytes past its 12: stop while two pixels are still left behind it.
    for (; i + 10 <= pixels; i += 8) {
        const __m128i low = _mm_loadu_si128((const __m128i *)(src + i * 3));
        const __m128i high = _mm_loadu_si128((const __m128i *)(src + i * 3 + 12));
        const __m256i v = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
        _mm256_storeu_si256(
            (__m256i *)(dst + i * 4), _mm256_or_si256(_mm256_shuffle_epi8(v, spread), opaque));
    }
    ck_expand_rgb_plain(dst + i * 4, src + i * 3, pixels - i);
}

static void expand_gray(uint8_t *dst, const uint8_t *src, size_t pixels) {
    const __m256i opaque = _mm256_set1_epi32((int)0xFF000000u), times = _mm256_set1_epi32(0x00010101);
    size_t i = 0;
    for (; i + 8 <= pixels; i += 8) {
        const __m256i wide = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(src + i)));
        _mm256_storeu_si256(
            (__m256i *)(dst + i * 4), _mm256_or_si256(_mm256_mullo_epi32(wide, times), opaque));
    }
    ck_expand_gray_plain(dst + i * 4, src + i, pixels - i);
}

static void drop_alpha(uint8_t *dst, const uint8_t *src, size_t pixels) {
    const __m128i gather = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    size_t i = 0;
    // Each store writes 16 bytes, 4 more than it has: the next pixels overwrite them.
    for (; i + 6 <= pixels; i += 4) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(src + i * 4));
        _mm_storeu_si128((__m128i *)(dst + i * 3), _mm_shuffle_epi8(v, gather));
    }
    ck_drop_alpha_plain(dst + i * 3, src + i * 4, pixels - i);
}

static inline __m256i paeth16(__m256i a, __m256i b, __m256i c) {
    const __m256i fromB = _mm256_sub_epi16(b, c), fromA = _mm256_sub_epi16(a, c);
    const __m256i pc = _mm256_abs_epi16(_mm256_add_epi16(fromB, fromA));
    const __m256i pa = _mm256_abs_epi16(fromB), pb = _mm256_abs_epi16(fromA);
    const __m256i smallest = _mm256_min_epi16(pc, _mm256_min_epi16(pa, pb));
    const __m256i rest = _mm256_blendv_epi8(c, b, _mm256_cmpeq_epi16(smallest, pb));
    return _mm256_blendv_epi8(rest, a, _mm256_cmpeq_epi16(smallest, pa));
}

static inline __m256i guess32(
    const uint8_t *left, const uint8_t *above, const uint8_t *corner, unsigned filter) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)left), b = _mm256_loadu_si256((const __m256i *)above);
    switch (filter) {
        case 1: return a;
        case 2: return b;
        case 3: {
            const __m256i odd = _mm256_and_si256(_mm256_xor_si256(a, b), _mm256_set1_epi8(1));
            return _mm256_sub_epi8(_mm256_avg_epu8(a, b), odd);
        }
        default: {
            const __m256i zero = _mm256_setzero_si256(), c = _mm256_loadu_si256((const __m256i *)corner);
            return _mm256_packus_epi16(
                paeth16(
                    _mm256_unpacklo_epi8(a, zero), _mm256_unpacklo_epi8(b, zero), _mm256_unpacklo_epi8(c, zero)),
                paeth16(
                    _mm256_unpackhi_epi8(a, zero), _mm256_unpackhi_epi8(b, zero), _mm256_unpackhi_epi8(c, zero)));
        }
    }
}

static inline __attribute__((always_inline)) uint64_t filter_row(
    uint8_t *dst, const uint8_t *row, const uint8_t *previous, size_t bytes, unsigned stride, unsigned filter) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i sum = zero;
    size_t i = 0;
    for (; i + 32 <= bytes; i += 32) {
        const __m256i guess = guess32(row + i - stride, previous + i, previous + i - stride, filter);
        const __m256i v = _mm256_sub_epi8(_mm256_loadu_si256((const __m256i *)(row + i)), guess);
        _mm256_storeu_si256((__m256i *)(dst + i), v);
        sum = _mm256_add_epi64(sum, _mm256_sad_epu8(_mm256_abs_epi8(v), zero));
    }
    uint64_t lanes[4];
    _mm256_storeu_si256((__m256i *)lanes, sum);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3]
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

const ck_pixel_kernels ck_pixel_kernels_avx2 = {
    premultiply, unpremultiply, expand_rgb, expand_gray, drop_alpha, ck_png_unfilter_sse2, png_filter,
};

#pragma clang attribute pop

#endif
