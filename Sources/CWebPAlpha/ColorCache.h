#pragma once

#include <stdint.h>
#include <string.h>

#include "PrefixCodes.h"

/// The colours seen last, each at the place of its hash (RFC 9649, §3.6.2.3). All channels but green are the same in all
/// of them, so that a green tells its place.
typedef struct {
    unsigned bits;
    /// Pixels that were entered.
    size_t entered;
    uint16_t places[256];
    /// Greens, or one of the marks.
    uint16_t greens[1 << WA_LARGEST_CACHE];
} wa_cache;

enum {
    /// Nothing was put there yet. It would count as a pixel of zeros, which is not where it belongs; nobody writes that.
    WA_NOTHING = 256,
    /// The first pixel, whose other channels are not those of the rest.
    WA_ODD = 257,
};

static inline unsigned wa_place(const wa_cache *cache, uint32_t color) {
    return (color * 0x1E35A7BDu) >> (32 - cache->bits);
}

/// - `others`: what all colours have but green.
static inline void wa_start_cache(wa_cache *cache, unsigned bits, uint32_t others) {
    cache->bits = bits;
    cache->entered = 0;
    for (uint32_t green = 0; green < 256; green++) cache->places[green] = (uint16_t)wa_place(cache, others | green << 8);
    for (unsigned i = 0; i < 1u << bits; i++) cache->greens[i] = WA_NOTHING;
    // A pixel of zeros belongs into the first place.
    if (!others) cache->greens[0] = 0;
}

/// Enters the pixels before `at` that are not there yet. Called only when a place is asked for: of a small cache most
/// entries are overwritten before anybody asks.
static inline void wa_catch_up(wa_cache *cache, const uint8_t *greens, size_t at) {
    size_t start = cache->entered;
    cache->entered = at;
    if (cache->bits <= 6) {
        // The last colour of each place counts.
        const uint64_t all = ~(uint64_t)0 >> (64 - (1u << cache->bits));
        uint64_t done = 0;
        for (size_t i = at; i > start && done != all;) {
            const uint8_t green = greens[--i];
            const uint64_t place = (uint64_t)1 << cache->places[green];
            if (!(done & place)) cache->greens[cache->places[green]] = green;
            done |= place;
            // Alpha is mostly long runs of one value.
            const uint64_t run = green * (uint64_t)0x0101010101010101;
            uint64_t eight;
            while (i >= start + 8 && (memcpy(&eight, greens + i - 8, 8), eight == run)) i -= 8;
        }
        return;
    }
    for (; start < at; start++) cache->greens[cache->places[greens[start]]] = greens[start];
}
