#include "ResamplePlain.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

// Pairs and scratch pixels are laid out as in the SSE2 form.

/// Widens pixels `from` up to `to`; both are multiples of 4, or `to` is the width.
AVX2 static void unpack(const uint8_t *row, int16_t *scratch, int from, int to) {
    const __m128i order = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    int x = from;
    for (; x + 4 <= to; x += 4) {
        const __m128i pixels = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(row + (long)x * 4)), order);
        _mm256_storeu_si256((__m256i *)(scratch + (long)x * 4), _mm256_cvtepu8_epi16(pixels));
    }
    for (; x < to; x++)
        for (int channel = 0; channel < 4; channel++)
            scratch[(long)(x & ~1) * 4 + channel * 2 + (x & 1)] = row[(long)x * 4 + channel];
}

/// The weights of four taps, each pair of them in the places of its two pixels' channels.
AVX2 static inline __m256i spread(const int16_t *weights) {
    const __m256i places = _mm256_setr_epi8(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 4,
                                            5, 6, 7, 4, 5, 6, 7);
    return _mm256_shuffle_epi8(_mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)weights)), places);
}

AVX2 static inline __m256i weigh(__m256i sum, const int16_t *pixels, __m256i weights) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_loadu_si256((const __m256i *)pixels), weights));
}

/// Adds the halves of the sums of two rows: the first row's in the low half.
AVX2 static inline __m256i fold(__m256i first, __m256i second) {
    return _mm256_add_epi32(_mm256_permute2x128_si256(first, second, 0x20),
                            _mm256_permute2x128_si256(first, second, 0x31));
}

AVX2 static void horizontal(const uint8_t *const *rows, int pairCount, int width, int16_t *scratch,
                            long scratchStride, const ck_resample_axis *axis, int16_t *const *pairs) {
    const __m256i bias = _mm256_set1_epi32(ck_horizontal_bias(axis->shift));
    const __m128i shift = _mm_cvtsi32_si128(axis->shift - 7);
    const __m256i order = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
    const int taps = axis->taps;
    const int16_t *row0 = scratch, *row1 = scratch + scratchStride;
    // With one pair only, the second pair's work is done on the same rows and thrown away.
    const int16_t *row2 = pairCount > 1 ? scratch + 2 * scratchStride : row0;
    const int16_t *row3 = pairCount > 1 ? scratch + 3 * scratchStride : row1;
    int unpacked = 0;
    for (int block = 0; block < axis->count; block += 32) {
        // Only as far as this block needs, so that it is still in the first cache when it is read.
        const int end = block + 32 < axis->count ? block + 32 : axis->count;
        int needed = (axis->starts[end - 1] + taps + 3) & ~3;
        if (needed > width || end == axis->count) needed = width;
        if (needed > unpacked) {
            for (int row = 0; row < pairCount * 2; row++)
                unpack(rows[row], scratch + row * scratchStride, unpacked, needed);
            unpacked = needed;
        }
        for (int x = block; x < end; x++) {
            const long start = (long)axis->starts[x] * 4;
            const int16_t *weights = axis->weights + (long)x * taps;
            __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
            for (int tap = 0; tap < taps; tap += 4) {
                const __m256i four = spread(weights + tap);
                const long at = start + tap * 4;
                a = weigh(a, row0 + at, four);
                b = weigh(b, row1 + at, four);
                c = weigh(c, row2 + at, four);
                d = weigh(d, row3 + at, four);
            }
            const __m256i even = _mm256_sra_epi32(_mm256_add_epi32(fold(a, c), bias), shift);
            const __m256i odd = _mm256_sra_epi32(_mm256_add_epi32(fold(b, d), bias), shift);
            const __m256i both = _mm256_shuffle_epi8(_mm256_packs_epi32(even, odd), order);
            _mm_storeu_si128((__m128i *)(pairs[0] + (long)x * 8), _mm256_castsi256_si128(both));
            if (pairCount > 1)
                _mm_storeu_si128((__m128i *)(pairs[1] + (long)x * 8), _mm256_extracti128_si256(both, 1));
        }
    }
}

/// Four times eight sums to 32 bytes of pixels whose colours stay within their alpha.
AVX2 static inline __m256i narrow(__m256i a, __m256i b, __m256i c, __m256i d, __m128i shift) {
    const __m256i low = _mm256_packs_epi32(_mm256_sra_epi32(a, shift), _mm256_sra_epi32(b, shift));
    const __m256i high = _mm256_packs_epi32(_mm256_sra_epi32(c, shift), _mm256_sra_epi32(d, shift));
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high),
                                                      _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    const __m256i alphas = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15));
    return _mm256_min_epu8(bytes, _mm256_shuffle_epi8(bytes, alphas));
}

AVX2 static void vertical(const int16_t *const *pairs, const int16_t *weights, int pairCount, int shift, uint8_t *out,
                          int count) {
    const __m256i bias = _mm256_set1_epi32(ck_vertical_bias(shift));
    const __m128i right = _mm_cvtsi32_si128(shift + 7);
    for (int i = 0; i < count; i += 64) {
        __m256i a = bias, b = bias, c = bias, d = bias, e = bias, f = bias, g = bias, h = bias;
        for (int pair = 0; pair < pairCount; pair++) {
            int32_t two;
            memcpy(&two, weights + pair * 2, sizeof two);
            const __m256i weight = _mm256_set1_epi32(two);
            const int16_t *p = pairs[pair] + (long)i * 2;
            a = weigh(a, p, weight);
            b = weigh(b, p + 16, weight);
            c = weigh(c, p + 32, weight);
            d = weigh(d, p + 48, weight);
            e = weigh(e, p + 64, weight);
            f = weigh(f, p + 80, weight);
            g = weigh(g, p + 96, weight);
            h = weigh(h, p + 112, weight);
        }
        const __m256i first = narrow(a, b, c, d, right), second = narrow(e, f, g, h, right);
        if (i + 64 <= count) {
            _mm256_storeu_si256((__m256i *)(out + i), first);
            _mm256_storeu_si256((__m256i *)(out + i + 32), second);
        } else {
            uint8_t last[64];
            _mm256_storeu_si256((__m256i *)last, first);
            _mm256_storeu_si256((__m256i *)(last + 32), second);
            memcpy(out + i, last, (unsigned long)(count - i));
        }
    }
}

AVX2 static void accumulate(const int16_t *pair, float first, float second, float *sums, int count) {
    const __m256 one = _mm256_set1_ps(first), two = _mm256_set1_ps(second);
    for (int i = 0; i < count; i += 8) {
        const __m256i both = _mm256_loadu_si256((const __m256i *)(pair + (long)i * 2));
        const __m256 upper = _mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(both, 16), 16));
        const __m256 lower = _mm256_cvtepi32_ps(_mm256_srai_epi32(both, 16));
        const __m256 sum = _mm256_add_ps(_mm256_mul_ps(one, upper), _mm256_mul_ps(two, lower));
        _mm256_storeu_ps(sums + i, _mm256_add_ps(_mm256_loadu_ps(sums + i), sum));
    }
}

const ck_resample_kernels ck_resample_avx2 = {horizontal, vertical, accumulate};

#endif
