#include "PixelConversion.h"

#include <string.h>

void ck_expand_palette(uint8_t *dst, const uint8_t *src, size_t pixels, unsigned depth, const uint32_t *table) {
    if (depth == 8) {
        for (size_t i = 0; i < pixels; i++) memcpy(dst + i * 4, table + src[i], 4);
        return;
    }
    const unsigned mask = (1u << depth) - 1;
    unsigned shift = 8;
    for (size_t i = 0; i < pixels; i++) {
        shift -= depth;
        memcpy(dst + i * 4, table + ((*src >> shift) & mask), 4);
        if (shift == 0) {
            shift = 8;
            src++;
        }
    }
}

void ck_expand_gray_alpha(uint8_t *dst, const uint8_t *src, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t gray = src[i * 2], alpha = src[i * 2 + 1];
        dst[i * 4] = gray;
        dst[i * 4 + 1] = gray;
        dst[i * 4 + 2] = gray;
        dst[i * 4 + 3] = alpha;
    }
}

static inline unsigned sample16(const uint8_t *p) { return (unsigned)p[0] << 8 | p[1]; }

// round(v / 257): exact for every 16-bit v.
static inline uint8_t narrow(unsigned v) { return (uint8_t)((v * 255 + 32895) >> 16); }

void ck_expand_16_wide(uint16_t *dst, const uint8_t *src, size_t pixels, unsigned channels, const uint16_t *key) {
    for (size_t i = 0; i < pixels; i++, src += channels * 2, dst += 4) {
        const unsigned first = sample16(src);
        unsigned green = first, blue = first, alpha = 0xFFFF;
        if (channels == 2) alpha = sample16(src + 2);
        if (channels >= 3) {
            green = sample16(src + 2);
            blue = sample16(src + 4);
        }
        if (channels == 4) alpha = sample16(src + 6);
        if (key) {
            const int isKey = channels == 1 ? first == key[0]
                                            : first == key[0] && green == key[1] && blue == key[2];
            if (isKey) alpha = 0;
        }
        dst[0] = (uint16_t)first;
        dst[1] = (uint16_t)green;
        dst[2] = (uint16_t)blue;
        dst[3] = (uint16_t)alpha;
    }
}

void ck_expand_16(uint8_t *dst, const uint8_t *src, size_t pixels, unsigned channels, const uint16_t *key) {
    uint16_t wide[4];
    for (size_t i = 0; i < pixels; i++, src += channels * 2, dst += 4) {
        ck_expand_16_wide(wide, src, 1, channels, key);
        for (int c = 0; c < 4; c++) dst[c] = narrow(wide[c]);
    }
}

void ck_expand_rgb_key(uint8_t *dst, const uint8_t *src, size_t pixels, const uint8_t *key) {
    for (size_t i = 0; i < pixels; i++, src += 3, dst += 4) {
        dst[0] = src[0];
        dst[1] = src[1];
        dst[2] = src[2];
        dst[3] = src[0] == key[0] && src[1] == key[1] && src[2] == key[2] ? 0 : 255;
    }
}

// round(v / 255) for v up to 255 * 255.
static inline uint8_t divide255(unsigned v) {
    v += 128;
    return (uint8_t)((v + (v >> 8)) >> 8);
}

void ck_cmyk_to_rgba(uint8_t *dst, const uint8_t *src, size_t pixels, int inverted) {
    const uint8_t flip = inverted ? 0 : 255;
    for (size_t i = 0; i < pixels; i++, src += 4, dst += 4) {
        const unsigned light = src[3] ^ flip;
        const uint8_t red = divide255((src[0] ^ flip) * light);
        const uint8_t green = divide255((src[1] ^ flip) * light);
        const uint8_t blue = divide255((src[2] ^ flip) * light);
        dst[0] = red;
        dst[1] = green;
        dst[2] = blue;
        dst[3] = 255;
    }
}

void ck_flatten(
    uint8_t *dst, const uint8_t *premultiplied, size_t pixels, uint8_t red, uint8_t green, uint8_t blue) {
    const uint8_t *src = premultiplied;
    for (size_t i = 0; i < pixels; i++, src += 4, dst += 4) {
        const unsigned rest = 255u - src[3];
        const unsigned r = src[0] + divide255(red * rest);
        const unsigned g = src[1] + divide255(green * rest);
        const unsigned b = src[2] + divide255(blue * rest);
        dst[0] = (uint8_t)(r > 255 ? 255 : r);
        dst[1] = (uint8_t)(g > 255 ? 255 : g);
        dst[2] = (uint8_t)(b > 255 ? 255 : b);
        dst[3] = 255;
    }
}

void ck_interleave_rgb(
    uint8_t *dst, const uint8_t *red, const uint8_t *green, const uint8_t *blue, size_t pixels) {
    // Whole pixels, which the compiler vectorises, other than single bytes.
    for (size_t i = 0; i < pixels; i++) {
        const uint32_t pixel = red[i] | (uint32_t)green[i] << 8 | (uint32_t)blue[i] << 16 | 0xFF000000u;
        memcpy(dst + i * 4, &pixel, 4);
    }
}
