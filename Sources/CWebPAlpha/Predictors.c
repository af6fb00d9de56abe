#include "Predictors.h"

#include <stdlib.h>

static inline uint8_t clamp(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }
static inline uint8_t half(unsigned a, unsigned b) { return (uint8_t)((a + b) / 2); }

/// Green alone counts: the other channels are the same everywhere.
static inline uint8_t select_nearer(int left, int top, int corner) {
    return (uint8_t)(abs(top - corner) < abs(left - corner) ? left : top);
}

static inline __attribute__((always_inline)) uint8_t predict(
    unsigned mode, uint8_t left, uint8_t top, uint8_t corner, uint8_t right) {
    switch (mode) {
    case 1: return left;
    case 2: return top;
    case 3: return right;
    case 4: return corner;
    case 5: return half(half(left, right), top);
    case 6: return half(left, corner);
    case 7: return half(left, top);
    case 8: return half(corner, top);
    case 9: return half(top, right);
    case 10: return half(half(left, corner), half(top, right));
    case 11: return select_nearer(left, top, corner);
    case 12: return clamp((int)left + top - corner);
    case 13: {
        const int mean = half(left, top);
        return clamp(mean + (mean - (int)corner) / 2);
    }
    default: return 0;
    }
}

static inline __attribute__((always_inline)) void add_span(
    unsigned mode, uint8_t *row, const uint8_t *above, unsigned start, unsigned end) {
    uint8_t left = row[start - 1], corner = above[start - 1];
    for (unsigned x = start; x < end; x++) {
        const uint8_t top = above[x];
        // Behind the last pixel of a row comes the first of the next, which is this row's.
        left = (uint8_t)(row[x] + predict(mode, left, top, corner, above[x + 1]));
        row[x] = left;
        corner = top;
    }
}

int wa_undo_predictors(
    uint8_t *pixels, unsigned width, unsigned height, const uint8_t *blocks, unsigned bits, int has_alpha) {
    for (unsigned x = 1; x < width; x++) pixels[x] += pixels[x - 1];
    const unsigned columns = (width + (1u << bits) - 1) >> bits;
    for (unsigned y = 1; y < height; y++) {
        uint8_t *row = pixels + (size_t)y * width;
        const uint8_t *above = row - width, *modes = blocks + (size_t)(y >> bits) * columns;
        row[0] += above[0];
        for (unsigned block = 0; block < columns; block++) {
            const unsigned start = block ? block << bits : 1;
            const unsigned limit = (block + 1) << bits, end = limit < width ? limit : width;
            switch (modes[block] & 15) {
#define WA_MODE(MODE)                                \
    case MODE:                                       \
        add_span(MODE, row, above, start, end);      \
        break;
                WA_MODE(1)
                WA_MODE(2)
                WA_MODE(3)
                WA_MODE(4)
                WA_MODE(5)
                WA_MODE(6)
                WA_MODE(7)
                WA_MODE(8)
                WA_MODE(9)
                WA_MODE(10)
                WA_MODE(11)
                WA_MODE(12)
                WA_MODE(13)
#undef WA_MODE
            default:
                // 0, and 14 and 15 like it: opaque black, of which green is 0.
                if (has_alpha && start < end) return 0;
            }
        }
    }
    return 1;
}

void wa_undo_filter(uint8_t *pixels, unsigned width, unsigned height, unsigned filter) {
    if (filter == 0) return;
    for (unsigned x = 1; x < width; x++) pixels[x] += pixels[x - 1];
    for (unsigned y = 1; y < height; y++) {
        uint8_t *row = pixels + (size_t)y * width;
        const uint8_t *above = row - width;
        if (filter == 2) {
            for (unsigned x = 0; x < width; x++) row[x] += above[x];
            continue;
        }
        row[0] += above[0];
        for (unsigned x = 1; x < width; x++) {
            row[x] += filter == 1 ? row[x - 1] : clamp((int)row[x - 1] + above[x] - above[x - 1]);
        }
    }
}
