#include <string.h>

#include "PixelConversion.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline uint32_t load(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static void reverse_row(uint8_t *dst, const uint8_t *src, size_t width) {
    size_t x = 0;
#if defined(__SSE2__)
    for (; x + 4 <= width; x += 4) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(src + (width - x - 4) * 4));
        _mm_storeu_si128((__m128i *)(dst + x * 4), _mm_shuffle_epi32(v, _MM_SHUFFLE(0, 1, 2, 3)));
    }
#endif
    for (; x < width; x++) memcpy(dst + x * 4, src + (width - 1 - x) * 4, 4);
}

// Writes dst(x: y, y: x) = src(x, y) with both of dst's directions free: `column` is the distance between what
// neighbours in a source column become, `row` between what neighbours in a source row become.
// Tiles of 16x16 keep both sides in the first-level cache.
static void transpose(
    uint8_t *dst, ptrdiff_t column, ptrdiff_t row, const uint8_t *src, size_t src_bytes_per_row, size_t width,
    size_t height) {
    enum { tile = 16 };
    for (size_t ty = 0; ty < height; ty += tile) {
        const size_t yEnd = ty + tile < height ? ty + tile : height;
        for (size_t tx = 0; tx < width; tx += tile) {
            const size_t xEnd = tx + tile < width ? tx + tile : width;
            size_t x = tx;
#if defined(__SSE2__)
            for (; x + 4 <= xEnd; x += 4) {
                size_t y = ty;
                for (; y + 4 <= yEnd; y += 4) {
                    const uint8_t *s = src + y * src_bytes_per_row + x * 4;
                    const __m128i a = _mm_loadu_si128((const __m128i *)s);
                    const __m128i b = _mm_loadu_si128((const __m128i *)(s + src_bytes_per_row));
                    const __m128i c = _mm_loadu_si128((const __m128i *)(s + 2 * src_bytes_per_row));
                    const __m128i d = _mm_loadu_si128((const __m128i *)(s + 3 * src_bytes_per_row));
                    const __m128i ab0 = _mm_unpacklo_epi32(a, b), ab1 = _mm_unpackhi_epi32(a, b);
                    const __m128i cd0 = _mm_unpacklo_epi32(c, d), cd1 = _mm_unpackhi_epi32(c, d);
                    __m128i out[4] = {
                        _mm_unpacklo_epi64(ab0, cd0), _mm_unpackhi_epi64(ab0, cd0), _mm_unpacklo_epi64(ab1, cd1),
                        _mm_unpackhi_epi64(ab1, cd1)};
                    for (int k = 0; k < 4; k++) {
                        uint8_t *o = dst + (ptrdiff_t)(x + k) * row;
                        if (column > 0) {
                            _mm_storeu_si128((__m128i *)(o + (ptrdiff_t)y * column), out[k]);
                        } else {
                            _mm_storeu_si128(
                                (__m128i *)(o + (ptrdiff_t)(y + 3) * column),
                                _mm_shuffle_epi32(out[k], _MM_SHUFFLE(0, 1, 2, 3)));
                        }
                    }
                }
                for (; y < yEnd; y++) {
                    for (size_t k = 0; k < 4; k++) {
                        memcpy(
                            dst + (ptrdiff_t)(x + k) * row + (ptrdiff_t)y * column,
                            src + y * src_bytes_per_row + (x + k) * 4, 4);
                    }
                }
            }
#endif
            for (; x < xEnd; x++) {
                for (size_t y = ty; y < yEnd; y++) {
                    const uint32_t v = load(src + y * src_bytes_per_row + x * 4);
                    memcpy(dst + (ptrdiff_t)x * row + (ptrdiff_t)y * column, &v, 4);
                }
            }
        }
    }
}

void ck_orient(
    uint8_t *dst, size_t dst_bytes_per_row, const uint8_t *src, size_t src_bytes_per_row, size_t width, size_t height,
    int orientation) {
    const ptrdiff_t pitch = (ptrdiff_t)dst_bytes_per_row;
    // For 5...8 the turned image is `height` wide and `width` high.
    uint8_t *lastRow = dst + (ptrdiff_t)(width - 1) * pitch;
    const ptrdiff_t lastColumn = (ptrdiff_t)(height - 1) * 4;
    switch (orientation) {
        case 2:
            for (size_t y = 0; y < height; y++) {
                reverse_row(dst + y * dst_bytes_per_row, src + y * src_bytes_per_row, width);
            }
            break;
        case 3:
            for (size_t y = 0; y < height; y++) {
                reverse_row(dst + (height - 1 - y) * dst_bytes_per_row, src + y * src_bytes_per_row, width);
            }
            break;
        case 4:
            for (size_t y = 0; y < height; y++) {
                memcpy(dst + (height - 1 - y) * dst_bytes_per_row, src + y * src_bytes_per_row, width * 4);
            }
            break;
        case 5: transpose(dst, 4, pitch, src, src_bytes_per_row, width, height); break;
        case 6: transpose(dst + lastColumn, -4, pitch, src, src_bytes_per_row, width, height); break;
        case 7: transpose(lastRow + lastColumn, -4, -pitch, src, src_bytes_per_row, width, height); break;
        case 8: transpose(lastRow, 4, -pitch, src, src_bytes_per_row, width, height); break;
        default:
            for (size_t y = 0; y < height; y++) {
                memcpy(dst + y * dst_bytes_per_row, src + y * src_bytes_per_row, width * 4);
            }
    }
}
