#if defined(__x86_64__)

#include "PNGUnfilter+SSE2.h"

// Two pixels in 16-bit lanes times their alphas, the alphas themselves kept.
static inline __m128i premultiply2(__m128i wide) {
    const __m128i keep = _mm_setr_epi16(0, 0, 0, 255, 0, 0, 0, 255);
    __m128i alpha = _mm_shufflehi_epi16(_mm_shufflelo_epi16(wide, _MM_SHUFFLE(3, 3, 3, 3)), _MM_SHUFFLE(3, 3, 3, 3));
    // Alpha times 255, divided by 255: itself.
    alpha = _mm_or_si128(alpha, keep);
    const __m128i t = _mm_add_epi16(_mm_mullo_epi16(wide, alpha), _mm_set1_epi16(128));
    return _mm_srli_epi16(_mm_add_epi16(t, _mm_srli_epi16(t, 8)), 8);
}

static uint8_t premultiply(uint8_t *dst, const uint8_t *src, size_t pixels) {
    const __m128i zero = _mm_setzero_si128(), alphaMask = _mm_set1_epi32((int)0xFF000000u);
    __m128i all = _mm_set1_epi32(-1);
    size_t i = 0;
    for (; i + 4 <= pixels; i += 4) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(src + i * 4));
        const __m128i alpha = _mm_and_si128(v, alphaMask);
        all = _mm_and_si128(all, v);
        __m128i out = v;
        if (_mm_movemask_epi8(_mm_cmpeq_epi32(alpha, alphaMask)) != 0xFFFF) {
            out = _mm_packus_epi16(
                premultiply2(_mm_unpacklo_epi8(v, zero)), premultiply2(_mm_unpackhi_epi8(v, zero)));
        }
        _mm_storeu_si128((__m128i *)(dst + i * 4), out);
    }
    uint32_t lanes[4];
    _mm_storeu_si128((__m128i *)lanes, all);
    const uint8_t rest = ck_premultiply_plain(dst + i * 4, src + i * 4, pixels - i);
    return (uint8_t)((lanes[0] & lanes[1] & lanes[2] & lanes[3]) >> 24) & rest;
}

// (255 c + a / 2) / a by float division: the quotient's distance from an integer is at least 1/255, far more than
// the division's error, so cutting it off gives what integer division does.
static inline __m128i unpremultiply1(__m128i pixel) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i wide = _mm_unpacklo_epi16(_mm_unpacklo_epi8(pixel, zero), zero);
    const __m128i alpha = _mm_shuffle_epi32(wide, _MM_SHUFFLE(3, 3, 3, 3));
    const __m128i scaled = _mm_sub_epi32(_mm_slli_epi32(wide, 8), wide);
    const __m128i top = _mm_add_epi32(scaled, _mm_srli_epi32(alpha, 1));
    return _mm_cvttps_epi32(_mm_div_ps(_mm_cvtepi32_ps(top), _mm_cvtepi32_ps(alpha)));
}

static void unpremultiply(uint8_t *dst, const uint8_t *src, size_t pixels) {
    const __m128i alphaMask = _mm_set1_epi32((int)0xFF000000u);
    size_t i = 0;
    for (; i + 4 <= pixels; i += 4) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(src + i * 4));
        const __m128i alpha = _mm_and_si128(v, alphaMask);
        __m128i out = v;
        if (_mm_movemask_epi8(_mm_cmpeq_epi32(alpha, alphaMask)) != 0xFFFF) {
            const __m128i low = _mm_packs_epi32(unpremultiply1(v), unpremultiply1(_mm_srli_si128(v, 4)));
            const __m128i high =
                _mm_packs_epi32(unpremultiply1(_mm_srli_si128(v, 8)), unpremultiply1(_mm_srli_si128(v, 12)));
            const __m128i color = _mm_andnot_si128(alphaMask, _mm_packus_epi16(low, high));
            const __m128i isClear = _mm_cmpeq_epi32(alpha, _mm_setzero_si128());
            out = _mm_or_si128(_mm_andnot_si128(isClear, color), alpha);
        }
        _mm_storeu_si128((__m128i *)(dst + i * 4), out);
    }
    ck_unpremultiply_plain(dst + i * 4, src + i * 4, pixels - i);
}

static void expand_rgb(uint8_t *dst, const uint8_t *src, size_t pixels) { ck_expand_rgb_plain(dst, src, pixels); }

static void expand_gray(uint8_t *dst, const uint8_t *src, size_t pixels) {
    const __m128i opaque = _mm_set1_epi32((int)0xFF000000u);
    size_t i = 0;
    for (; i + 16 <= pixels; i += 16) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(src + i));
        const __m128i low = _mm_unpacklo_epi8(v, v), high = _mm_unpackhi_epi8(v, v);
        __m128i *out = (__m128i *)(dst + i * 4);
        _mm_storeu_si128(out, _mm_or_si128(_mm_unpacklo_epi16(low, low), opaque));
        _mm_storeu_si128(out + 1, _mm_or_si128(_mm_unpackhi_epi16(low, low), opaque));
        _mm_storeu_si128(out + 2, _mm_or_si128(_mm_unpacklo_epi16(high, high), opaque));
        _mm_storeu_si128(out + 3, _mm_or_si128(_mm_unpackhi_epi16(high, high), opaque));
    }
    ck_expand_gray_plain(dst + i * 4, src + i, pixels - i);
}

static void drop_alpha(uint8_t *dst, const uint8_t *src, size_t pixels) { ck_drop_alpha_plain(dst, src, pixels); }

static inline __m128i guess16(
    const uint8_t *left, const uint8_t *above, const uint8_t *corner, unsigned filter) {
    const __m128i a = _mm_loadu_si128((const __m128i *)left), b = _mm_loadu_si128((const __m128i *)above);
    switch (filter) {
        case 1: return a;
        case 2: return b;
        case 3: return ck_average_down(a, b);
        default: {
            const __m128i zero = _mm_setzero_si128(), c = _mm_loadu_si128((const __m128i *)corner);
            return _mm_packus_epi16(
                ck_paeth16(_mm_unpacklo_epi8(a, zero), _mm_unpacklo_epi8(b, zero), _mm_unpacklo_epi8(c, zero)),
                ck_paeth16(_mm_unpackhi_epi8(a, zero), _mm_unpackhi_epi8(b, zero), _mm_unpackhi_epi8(c, zero)));
        }
    }
}

static inline __attribute__((always_inline)) uint64_t filter_row(
    uint8_t *dst, const uint8_t *row, const uint8_t *previous, size_t bytes, unsigned stride, unsigned filter) {
    const __m128i zero = _mm_setzero_si128();
    __m128i sum = zero;
    size_t i = 0;
    for (; i + 16 <= bytes; i += 16) {
        const __m128i guess = guess16(row + i - stride, previous + i, previous + i - stride, filter);
        const __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(row + i)), guess);
        _mm_storeu_si128((__m128i *)(dst + i), v);
        sum = _mm_add_epi64(sum, _mm_sad_epu8(_mm_min_epu8(v, _mm_sub_epi8(zero, v)), zero));
    }
    uint64_t lanes[2];
    _mm_storeu_si128((__m128i *)lanes, sum);
    return lanes[0] + lanes[1] + ck_png_filter_plain(dst, row, previous, i, bytes, stride, filter);
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

const ck_pixel_kernels ck_pixel_kernels_sse2 = {
    premultiply, unpremultiply, expand_rgb, expand_gray, drop_alpha, ck_png_unfilter_sse2, png_filter,
};

#endif
