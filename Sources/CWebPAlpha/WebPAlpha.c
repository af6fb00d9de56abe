#include "CWebPAlpha.h"

#include <stdlib.h>

#include "ColorCache.h"
#include "Predictors.h"
#include "PrefixCodes.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "bits are read eight bytes at once"
#endif

enum {
    PREDICTOR = 0,
    PALETTE = 3,
    NEAR_DISTANCES = 120,
    /// Images of up to so many pixels do not need longer codes, and should not need large tables.
    SMALL = 1 << 14,
    LONGEST_OF_SMALL = 12,
};

/// What the image was turned into before it was coded.
typedef struct {
    unsigned kind, bits;
    /// Of the image once this is undone.
    unsigned width;
    /// The predictor of each block, or the 256 values of a palette.
    uint8_t *data;
} transform;

typedef struct {
    wa_reader reader;
    /// Where the image goes.
    uint8_t *alpha;
    /// Room for the tables of five codes, none longer than `longest_code`.
    uint16_t *tables;
    unsigned longest_code;
    transform transforms[2];
    unsigned transform_count;
    /// What the alpha of the first pixel's residue is: that of the others is 0 where it matters.
    unsigned first_alpha;
} decoder;

/// Neighbours in the order of RFC 9649, §3.6.2.2: x, y as far left and up as they are.
static const int8_t near[NEAR_DISTANCES][2] = {
    {0, 1},  {1, 0},  {1, 1},  {-1, 1}, {0, 2},  {2, 0},  {1, 2},  {-1, 2}, {2, 1},  {-2, 1}, {2, 2},  {-2, 2},
    {0, 3},  {3, 0},  {1, 3},  {-1, 3}, {3, 1},  {-3, 1}, {2, 3},  {-2, 3}, {3, 2},  {-3, 2}, {0, 4},  {4, 0},
    {1, 4},  {-1, 4}, {4, 1},  {-4, 1}, {3, 3},  {-3, 3}, {2, 4},  {-2, 4}, {4, 2},  {-4, 2}, {0, 5},  {3, 4},
    {-3, 4}, {4, 3},  {-4, 3}, {5, 0},  {1, 5},  {-1, 5}, {5, 1},  {-5, 1}, {2, 5},  {-2, 5}, {5, 2},  {-5, 2},
    {4, 4},  {-4, 4}, {3, 5},  {-3, 5}, {5, 3},  {-5, 3}, {0, 6},  {6, 0},  {1, 6},  {-1, 6}, {6, 1},  {-6, 1},
    {2, 6},  {-2, 6}, {6, 2},  {-6, 2}, {4, 5},  {-4, 5}, {5, 4},  {-5, 4}, {3, 6},  {-3, 6}, {6, 3},  {-6, 3},
    {0, 7},  {7, 0},  {1, 7},  {-1, 7}, {5, 5},  {-5, 5}, {7, 1},  {-7, 1}, {4, 6},  {-4, 6}, {6, 4},  {-6, 4},
    {2, 7},  {-2, 7}, {7, 2},  {-7, 2}, {3, 7},  {-3, 7}, {7, 3},  {-7, 3}, {5, 6},  {-5, 6}, {6, 5},  {-6, 5},
    {8, 0},  {4, 7},  {-4, 7}, {7, 4},  {-7, 4}, {8, 1},  {8, 2},  {6, 6},  {-6, 6}, {8, 3},  {5, 7},  {-5, 7},
    {7, 5},  {-7, 5}, {8, 4},  {6, 7},  {-6, 7}, {7, 6},  {-7, 6}, {8, 5},  {7, 7},  {-7, 7}, {8, 6},  {8, 7},
};

/// A length or distance: a code of some bits and what follows it.
static inline unsigned follow(wa_reader *reader, unsigned symbol) {
    if (symbol < 4) return symbol + 1;
    const unsigned extra = (symbol - 2) >> 1;
    return ((2 + (symbol & 1)) << extra) + wa_take(reader, extra) + 1;
}

static inline size_t distance(unsigned code, unsigned width) {
    if (code > NEAR_DISTANCES) return code - NEAR_DISTANCES;
    const int8_t *place = near[code - 1];
    const int64_t result = place[0] + (int64_t)place[1] * width;
    return result < 1 ? 1 : (size_t)result;
}

/// The codes of one image.
static int read_codes(decoder *decoder, unsigned cache_bits, wa_code *codes) {
    const unsigned greens = WA_LITERALS_AND_LENGTHS + (cache_bits ? 1u << cache_bits : 0);
    const unsigned symbols[5] = {greens, WA_COLORS, WA_COLORS, WA_COLORS, WA_DISTANCES};
    uint16_t *space = decoder->tables;
    for (unsigned i = 0; i < 5; i++, space += (size_t)1 << decoder->longest_code) {
        if (!wa_read_code(&decoder->reader, symbols[i], decoder->longest_code, space, &codes[i])) return 0;
    }
    // Red and blue are the same everywhere.
    return codes[1].bits == 0 && codes[2].bits == 0;
}

/// The greens of one image, all of one group of codes.
/// - `is_predicted`: green depends on the other channels, so that these must not vary: their residues must be 0, but for
///   the alpha of the first pixel.
static int read_image(decoder *decoder, unsigned width, unsigned height, uint8_t *out, int is_predicted) {
    wa_code codes[5];
    wa_cache cache = {.bits = 0};
    if (wa_bits(&decoder->reader, 1)) {
        cache.bits = wa_bits(&decoder->reader, 4);
        if (cache.bits < 1 || cache.bits > WA_LARGEST_CACHE) return 0;
    }
    // Several groups of codes are for others; only the image itself can have them.
    if (out == decoder->alpha && wa_bits(&decoder->reader, 1)) return 0;
    if (!read_codes(decoder, cache.bits, codes)) return 0;
    const unsigned red = codes[1].entries[0] >> 4, blue = codes[2].entries[0] >> 4;
    if (is_predicted && (red || blue)) return 0;
    const wa_code green = codes[0], alpha = codes[3];
    if (cache.bits) {
        if (!is_predicted && alpha.bits) return 0;
        const uint32_t opacity = is_predicted ? 0 : alpha.entries[0] >> 4;
        wa_start_cache(&cache, cache.bits, opacity << 24 | red << 16 | blue);
    }
    const size_t count = (size_t)width * height;
    unsigned first_alpha = 0;
    wa_reader reader = decoder->reader;
    for (size_t at = 0; at < count;) {
        wa_refill(&reader);
        const unsigned symbol = wa_symbol(&reader, &green);
        if (symbol < 256) {
            const unsigned other = wa_symbol(&reader, &alpha);
            out[at] = (uint8_t)symbol;
            if (other && is_predicted) {
                if (at > 0) return 0;
                first_alpha = other;
                if (cache.bits) {
                    cache.greens[wa_place(&cache, other << 24 | symbol << 8)] = WA_ODD;
                    cache.entered = 1;
                }
            } else if (cache.bits && cache.entered == at) {
                // Between copies, which are caught up with later, there is nothing to search for.
                cache.greens[cache.places[symbol]] = (uint16_t)symbol;
                cache.entered = at + 1;
            }
            at++;
            continue;
        }
        if (symbol >= WA_LITERALS_AND_LENGTHS) {
            wa_catch_up(&cache, out, at);
            const unsigned kept = cache.greens[symbol - WA_LITERALS_AND_LENGTHS];
            if (kept > 255) return 0;
            out[at++] = (uint8_t)kept;
            // It is where it belongs.
            cache.entered = at;
            continue;
        }
        const unsigned length = follow(&reader, symbol - 256);
        wa_refill(&reader);
        const size_t back = distance(follow(&reader, wa_symbol(&reader, &codes[4])), width);
        if (back > at || length > count - at) return 0;
        // A copy of the first pixel copies its alpha.
        if (back == at && first_alpha) return 0;
        if (back >= length) {
            memcpy(out + at, out + at - back, length);
        } else {
            for (unsigned i = 0; i < length; i++) out[at + i] = out[at + i - back];
        }
        at += length;
    }
    decoder->reader = reader;
    if (is_predicted) decoder->first_alpha = first_alpha;
    return !wa_is_past_end(&reader);
}

static int read_transform(decoder *decoder, unsigned *width, unsigned height) {
    const unsigned kind = wa_bits(&decoder->reader, 2);
    if (kind != PREDICTOR && kind != PALETTE) return 0;
    // Each comes once, and a palette behind predictors would bring in colours that are not grey.
    if (decoder->transform_count == 2) return 0;
    if (decoder->transform_count == 1 && (kind == PALETTE || decoder->transforms[0].kind == PREDICTOR)) return 0;
    transform *next = &decoder->transforms[decoder->transform_count];
    *next = (transform){.kind = kind, .width = *width};
    unsigned columns, rows = 1;
    if (kind == PREDICTOR) {
        next->bits = wa_bits(&decoder->reader, 3) + 2;
        columns = (*width + (1u << next->bits) - 1) >> next->bits;
        rows = (height + (1u << next->bits) - 1) >> next->bits;
    } else {
        columns = wa_bits(&decoder->reader, 8) + 1;
        next->bits = columns <= 2 ? 3 : columns <= 4 ? 2 : columns <= 16 ? 1 : 0;
    }
    next->data = calloc(1, kind == PALETTE ? 256 : (size_t)columns * rows);
    if (!next->data) return 0;
    decoder->transform_count++;
    if (!read_image(decoder, columns, rows, next->data, 0)) return 0;
    if (kind == PALETTE) {
        for (unsigned i = 1; i < columns; i++) next->data[i] += next->data[i - 1];
        *width = (*width + (1u << next->bits) - 1) >> next->bits;
    }
    return 1;
}

/// From packed numbers of colours to a byte for each pixel.
static void undo_palette(const transform *palette, uint8_t *pixels, unsigned height) {
    const unsigned per_byte = 1u << palette->bits, size = 8 >> palette->bits, mask = (1u << size) - 1;
    const unsigned packed_width = (palette->width + per_byte - 1) >> palette->bits;
    // Backwards: the unpacked pixels never overtake the packed ones that are still needed.
    for (unsigned y = height; y-- > 0;) {
        const uint8_t *packed = pixels + (size_t)y * packed_width;
        uint8_t *row = pixels + (size_t)y * palette->width;
        for (unsigned x = palette->width; x-- > 0;) {
            row[x] = palette->data[(packed[x >> palette->bits] >> ((x & (per_byte - 1)) * size)) & mask];
        }
    }
}

static int decode_lossless(decoder *decoder, unsigned width, unsigned height) {
    uint8_t *alpha = decoder->alpha;
    unsigned coded_width = width;
    while (wa_bits(&decoder->reader, 1)) {
        if (!read_transform(decoder, &coded_width, height)) return 0;
    }
    int is_predicted = 0;
    for (unsigned i = 0; i < decoder->transform_count; i++) is_predicted |= decoder->transforms[i].kind == PREDICTOR;
    if (!read_image(decoder, coded_width, height, alpha, is_predicted)) return 0;
    for (unsigned i = decoder->transform_count; i-- > 0;) {
        const transform *last = &decoder->transforms[i];
        if (last->kind == PALETTE) {
            undo_palette(last, alpha, height);
        } else if (!wa_undo_predictors(
                       alpha, last->width, height, last->data, last->bits, decoder->first_alpha != 0)) {
            return 0;
        }
    }
    return 1;
}

int wa_decode(const uint8_t *chunk, size_t count, unsigned width, unsigned height, uint8_t *alpha) {
    if (count < 1 || width == 0 || height == 0 || width > 16384 || height > 16384) return 0;
    const unsigned compression = chunk[0] & 3, filter = chunk[0] >> 2 & 3;
    if (chunk[0] >> 4 > 1) return 0;
    if (compression == 0) {
        if (count - 1 < (size_t)width * height) return 0;
        memcpy(alpha, chunk + 1, (size_t)width * height);
    } else if (compression == 1) {
        decoder decoder = {.reader = {.bytes = chunk + 1, .count = count - 1}, .alpha = alpha};
        decoder.longest_code = (size_t)width * height <= SMALL ? LONGEST_OF_SMALL : WA_LONGEST_CODE;
        decoder.tables = malloc(((size_t)5 << decoder.longest_code) * sizeof *decoder.tables);
        const int is_good = decoder.tables && decode_lossless(&decoder, width, height);
        for (unsigned i = 0; i < decoder.transform_count; i++) free(decoder.transforms[i].data);
        free(decoder.tables);
        if (!is_good) return 0;
    } else {
        return 0;
    }
    wa_undo_filter(alpha, width, height, filter);
    return 1;
}
