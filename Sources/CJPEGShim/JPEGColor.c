#include "JPEGColor.h"

#include <string.h>

// Loops that compilers turn into vectors: 16-bit arithmetic, no branches.

static inline void put(uint8_t *output, uint32_t red, uint32_t green, uint32_t blue) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint32_t pixel = red | green << 8 | blue << 16 | 0xFF000000;
#else
    const uint32_t pixel = red << 24 | green << 16 | blue << 8 | 0xFF;
#endif
    memcpy(output, &pixel, 4);
}

void cj_gray_to_rgba(uint8_t *output, const uint8_t *gray, size_t width) {
    for (size_t i = 0; i < width; i++) put(output + 4 * i, gray[i], gray[i], gray[i]);
}

void cj_rgb_to_rgba(uint8_t *output, const uint8_t *const planes[3], size_t width) {
    for (size_t i = 0; i < width; i++) put(output + 4 * i, planes[0][i], planes[1][i], planes[2][i]);
}

/// The upper half of a product: what `pmulhw` does.
static inline int16_t scaled(int16_t value, int16_t factor) { return (int16_t)((int32_t)value * factor >> 16); }

/// From six binary places.
static inline uint8_t rounded(int16_t value) {
    const int16_t whole = (int16_t)(value + 32) >> 6;
    return (uint8_t)(whole < 0 ? 0 : whole > 255 ? 255 : whole);
}

void cj_ycc_to_rgba(uint8_t *restrict output, const uint8_t *const planes[3], size_t width) {
    const uint8_t *restrict lumas = planes[0], *restrict blues = planes[1], *restrict reds = planes[2];
    enum { CHUNK = 64 };
    for (size_t start = 0; start < width; start += CHUNK) {
        const size_t count = width - start < CHUNK ? width - start : CHUNK;
        uint8_t red[CHUNK], green[CHUNK], blue[CHUNK];
        for (size_t i = 0; i < count; i++) {
            const int16_t luma = (int16_t)(lumas[start + i] << 6);
            const int16_t cb = (int16_t)(blues[start + i] - 128), cr = (int16_t)(reds[start + i] - 128);
            const int16_t cb8 = (int16_t)((uint16_t)cb << 8), cr8 = (int16_t)((uint16_t)cr << 8);
            const int16_t cb6 = (int16_t)((uint16_t)cb << 6), cr6 = (int16_t)((uint16_t)cr << 6);
            // Factors with 14 binary places; the whole parts of 1.402 and 1.772 apart, so that all fit 16 bits.
            red[i] = rounded((int16_t)(luma + cr6 + scaled(cr8, 6586)));
            green[i] = rounded((int16_t)(luma - scaled(cb8, 5638) - scaled(cr8, 11700)));
            blue[i] = rounded((int16_t)(luma + cb6 + scaled(cb8, 12648)));
        }
        for (size_t i = 0; i < count; i++) put(output + 4 * (start + i), red[i], green[i], blue[i]);
    }
}
