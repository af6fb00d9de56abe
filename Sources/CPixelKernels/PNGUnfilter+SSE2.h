#pragma once

// The PNG row filters undone with SSE2, one pixel a step: each pixel needs the one to its left, so the gain is that all
// its channels go at once. Included by the SSE2 and the AVX2 form.

#include <emmintrin.h>

#include "PixelKernels.h"

static inline __m128i ck_load4(const uint8_t *p) {
    int v;
    memcpy(&v, p, 4);
    return _mm_cvtsi32_si128(v);
}
static inline __m128i ck_load8(const uint8_t *p) { return _mm_loadl_epi64((const __m128i *)p); }
static inline void ck_store3(uint8_t *p, __m128i v) {
    const int x = _mm_cvtsi128_si32(v);
    memcpy(p, &x, 3);
}
static inline void ck_store4(uint8_t *p, __m128i v) {
    const int x = _mm_cvtsi128_si32(v);
    memcpy(p, &x, 4);
}
static inline void ck_store6(uint8_t *p, __m128i v) {
    const long long x = _mm_cvtsi128_si64(v);
    memcpy(p, &x, 6);
}
static inline void ck_store8(uint8_t *p, __m128i v) { _mm_storel_epi64((__m128i *)p, v); }

static inline __m128i ck_abs16(__m128i v) { return _mm_max_epi16(v, _mm_sub_epi16(_mm_setzero_si128(), v)); }
static inline __m128i ck_select(__m128i mask, __m128i yes, __m128i no) {
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}
// floor((a + b) / 2) on bytes; the instruction rounds up.
static inline __m128i ck_average_down(__m128i a, __m128i b) {
    return _mm_sub_epi8(_mm_avg_epu8(a, b), _mm_and_si128(_mm_xor_si128(a, b), _mm_set1_epi8(1)));
}
// Paeth on 16-bit lanes.
static inline __m128i ck_paeth16(__m128i a, __m128i b, __m128i c) {
    const __m128i fromB = _mm_sub_epi16(b, c), fromA = _mm_sub_epi16(a, c);
    const __m128i pc = ck_abs16(_mm_add_epi16(fromB, fromA)), pa = ck_abs16(fromB), pb = ck_abs16(fromA);
    const __m128i smallest = _mm_min_epi16(pc, _mm_min_epi16(pa, pb));
    return ck_select(_mm_cmpeq_epi16(smallest, pa), a, ck_select(_mm_cmpeq_epi16(smallest, pb), b, c));
}

#define CK_UNFILTER(NAME, STRIDE, LOAD, STORE)                                                        \
    static void NAME(uint8_t *row, const uint8_t *previous, size_t bytes, unsigned filter) {           \
        const __m128i zero = _mm_setzero_si128();                                                      \
        __m128i a = zero, c = zero;                                                                    \
        if (filter == 1) {                                                                             \
            for (size_t i = 0; i < bytes; i += STRIDE) {                                               \
                a = _mm_add_epi8(a, LOAD(row + i));                                                    \
                STORE(row + i, a);                                                                     \
            }                                                                                          \
        } else if (filter == 3) {                                                                      \
            for (size_t i = 0; i < bytes; i += STRIDE) {                                               \
                a = _mm_add_epi8(ck_average_down(a, LOAD(previous + i)), LOAD(row + i));               \
                STORE(row + i, a);                                                                     \
            }                                                                                          \
        } else {                                                                                       \
            for (size_t i = 0; i < bytes; i += STRIDE) {                                               \
                const __m128i b = _mm_unpacklo_epi8(LOAD(previous + i), zero);                         \
                const __m128i guess = ck_paeth16(a, b, c);                                             \
                c = b;                                                                                 \
                const __m128i sum = _mm_add_epi8(LOAD(row + i), _mm_packus_epi16(guess, guess));       \
                STORE(row + i, sum);                                                                   \
                a = _mm_unpacklo_epi8(sum, zero);                                                      \
            }                                                                                          \
        }                                                                                              \
    }

CK_UNFILTER(ck_unfilter3, 3, ck_load4, ck_store3)
CK_UNFILTER(ck_unfilter4, 4, ck_load4, ck_store4)
CK_UNFILTER(ck_unfilter6, 6, ck_load8, ck_store6)
CK_UNFILTER(ck_unfilter8, 8, ck_load8, ck_store8)

#undef CK_UNFILTER

static void ck_png_unfilter_sse2(
    uint8_t *row, const uint8_t *previous, size_t bytes, unsigned stride, unsigned filter) {
    if (filter == 0 || filter > 4) return;
    if (filter == 2) {
        size_t i = 0;
        for (; i + 16 <= bytes; i += 16) {
            __m128i *p = (__m128i *)(row + i);
            _mm_storeu_si128(
                p, _mm_add_epi8(_mm_loadu_si128(p), _mm_loadu_si128((const __m128i *)(previous + i))));
        }
        for (; i < bytes; i++) row[i] += previous[i];
        return;
    }
    switch (stride) {
        case 3: ck_unfilter3(row, previous, bytes, filter); break;
        case 4: ck_unfilter4(row, previous, bytes, filter); break;
        case 6: ck_unfilter6(row, previous, bytes, filter); break;
        case 8: ck_unfilter8(row, previous, bytes, filter); break;
        default: ck_png_unfilter_plain(row, previous, bytes, stride, filter);
    }
}
