#include "ResamplePlain.h"

#if defined(__x86_64__)

#include <emmintrin.h>

// Pairs: number i of both rows side by side, which is what pmaddwd multiplies with a pair of weights.
// Scratch pixels likewise: r0 r1 g0 g1 b0 b1 a0 a1.

static inline __m128i interleave(__m128i low) { return _mm_unpacklo_epi16(low, _mm_srli_si128(low, 8)); }

/// Widens pixels `from` up to `to`; both are multiples of 4, or `to` is the width.
static void unpack(const uint8_t *row, int16_t *scratch, int from, int to) {
    const __m128i zero = _mm_setzero_si128();
    int x = from;
    for (; x + 4 <= to; x += 4) {
        const __m128i pixels = _mm_loadu_si128((const __m128i *)(row + (long)x * 4));
        _mm_storeu_si128((__m128i *)(scratch + (long)x * 4), interleave(_mm_unpacklo_epi8(pixels, zero)));
        _mm_storeu_si128((__m128i *)(scratch + (long)x * 4 + 8), interleave(_mm_unpackhi_epi8(pixels, zero)));
    }
    for (; x < to; x++)
        for (int channel = 0; channel < 4; channel++)
            scratch[(long)(x & ~1) * 4 + channel * 2 + (x & 1)] = row[(long)x * 4 + channel];
}

static void horizontal(const uint8_t *const *rows, int pairCount, int width, int16_t *scratch, long scratchStride,
                       const ck_resample_axis *axis, int16_t *const *pairs) {
    const __m128i bias = _mm_set1_epi32(ck_horizontal_bias(axis->shift));
    const __m128i shift = _mm_cvtsi32_si128(axis->shift - 7);
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
                __m128i a = bias, b = bias, c = _mm_setzero_si128(), d = c;
                for (int tap = 0; tap < axis->taps; tap += 4) {
                    const __m128i four = _mm_loadl_epi64((const __m128i *)(weights + tap));
                    const __m128i first = _mm_shuffle_epi32(four, 0x00), second = _mm_shuffle_epi32(four, 0x55);
                    const __m128i *u = (const __m128i *)(upper + start + tap * 4);
                    const __m128i *l = (const __m128i *)(lower + start + tap * 4);
                    a = _mm_add_epi32(a, _mm_madd_epi16(_mm_loadu_si128(u), first));
                    c = _mm_add_epi32(c, _mm_madd_epi16(_mm_loadu_si128(u + 1), second));
                    b = _mm_add_epi32(b, _mm_madd_epi16(_mm_loadu_si128(l), first));
                    d = _mm_add_epi32(d, _mm_madd_epi16(_mm_loadu_si128(l + 1), second));
                }
                a = _mm_sra_epi32(_mm_add_epi32(a, c), shift);
                b = _mm_sra_epi32(_mm_add_epi32(b, d), shift);
                _mm_storeu_si128((__m128i *)(pairs[pair] + (long)x * 8), interleave(_mm_packs_epi32(a, b)));
            }
        }
    }
}

static void vertical(const int16_t *const *pairs, const int16_t *weights, int pairCount, int shift, uint8_t *out,
                     int count) {
    const __m128i bias = _mm_set1_epi32(ck_vertical_bias(shift));
    const __m128i right = _mm_cvtsi32_si128(shift + 7);
    for (int i = 0; i < count; i += 16) {
        __m128i a = bias, b = bias, c = bias, d = bias;
        for (int pair = 0; pair < pairCount; pair++) {
            int32_t two;
            memcpy(&two, weights + pair * 2, sizeof two);
            const __m128i weight = _mm_set1_epi32(two);
            const __m128i *p = (const __m128i *)(pairs[pair] + (long)i * 2);
            a = _mm_add_epi32(a, _mm_madd_epi16(_mm_loadu_si128(p), weight));
            b = _mm_add_epi32(b, _mm_madd_epi16(_mm_loadu_si128(p + 1), weight));
            c = _mm_add_epi32(c, _mm_madd_epi16(_mm_loadu_si128(p + 2), weight));
            d = _mm_add_epi32(d, _mm_madd_epi16(_mm_loadu_si128(p + 3), weight));
        }
        const __m128i low = _mm_packs_epi32(_mm_sra_epi32(a, right), _mm_sra_epi32(b, right));
        const __m128i high = _mm_packs_epi32(_mm_sra_epi32(c, right), _mm_sra_epi32(d, right));
        __m128i bytes = _mm_packus_epi16(low, high);
        __m128i alpha = _mm_srli_epi32(bytes, 24);
        alpha = _mm_or_si128(alpha, _mm_slli_epi32(alpha, 8));
        alpha = _mm_or_si128(alpha, _mm_slli_epi32(alpha, 16));
        bytes = _mm_min_epu8(bytes, alpha);
        if (i + 16 <= count) {
            _mm_storeu_si128((__m128i *)(out + i), bytes);
        } else {
            uint8_t last[16];
            _mm_storeu_si128((__m128i *)last, bytes);
            memcpy(out + i, last, (unsigned long)(count - i));
        }
    }
}

static void accumulate(const int16_t *pair, float first, float second, float *sums, int count) {
    const __m128 one = _mm_set1_ps(first), two = _mm_set1_ps(second);
    for (int i = 0; i < count; i += 4) {
        const __m128i both = _mm_loadu_si128((const __m128i *)(pair + (long)i * 2));
        const __m128 upper = _mm_cvtepi32_ps(_mm_srai_epi32(_mm_slli_epi32(both, 16), 16));
        const __m128 lower = _mm_cvtepi32_ps(_mm_srai_epi32(both, 16));
        const __m128 sum = _mm_add_ps(_mm_mul_ps(one, upper), _mm_mul_ps(two, lower));
        _mm_storeu_ps(sums + i, _mm_add_ps(_mm_loadu_ps(sums + i), sum));
    }
}

const ck_resample_kernels ck_resample_sse2 = {horizontal, vertical, accumulate};

#endif
