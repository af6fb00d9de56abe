#pragma once

#include "BitReader.h"

enum {
    WA_LITERALS_AND_LENGTHS = 256 + 24,
    WA_LARGEST_CACHE = 11,
    /// And the places of a colour cache.
    WA_GREENS = WA_LITERALS_AND_LENGTHS + (1 << WA_LARGEST_CACHE),
    WA_COLORS = 256,
    WA_DISTANCES = 40,
    WA_LONGEST_CODE = 15,
};

/// A prefix code as a table over its longest code: the symbol << 4 | the length of its code. A code of one symbol has
/// length 0.
typedef struct {
    uint16_t *entries;
    unsigned bits;
} wa_code;

static inline unsigned wa_symbol(wa_reader *reader, const wa_code *code) {
    const uint16_t entry = code->entries[reader->bits & ((1u << code->bits) - 1)];
    wa_skip(reader, entry & 15);
    return entry >> 4;
}

/// Reads a code (RFC 9649, §3.7.2.1) for so many symbols into `space`, which has room for 1 << `most` entries. Returns 0
/// for codes that are longer or not complete.
int wa_read_code(wa_reader *reader, unsigned symbols, unsigned most, uint16_t *space, wa_code *code);
