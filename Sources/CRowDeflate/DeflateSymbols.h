#pragma once

#include <stdint.h>

// The alphabets of RFC 1951, §3.2.5.

enum {
    RD_END_OF_BLOCK = 256,
    RD_FIRST_LENGTH = 257,
    RD_LITERALS_AND_LENGTHS = 286,
    RD_DISTANCES = 30,
    RD_WINDOW = 32768,
    RD_SHORTEST = 3,
    RD_LONGEST = 258,
};

/// How often each symbol is used.
typedef struct {
    uint32_t literals[RD_LITERALS_AND_LENGTHS];
    uint32_t distances[RD_DISTANCES];
} rd_counts;

/// A literal is its value; a match is its length << 16 | (its distance - 1).
typedef uint32_t rd_token;

static inline unsigned rd_log2(uint32_t value) { return 31u - (unsigned)__builtin_clz(value); }

/// 0...28 for lengths 3...258.
static inline unsigned rd_length_slot(unsigned length) {
    const unsigned value = length - RD_SHORTEST;
    if (value < 8) return value;
    if (length == RD_LONGEST) return 28;
    const unsigned log = rd_log2(value);
    return (log - 1) * 4 + ((value >> (log - 2)) & 3);
}

static inline unsigned rd_length_extra(unsigned slot) { return slot < 8 || slot == 28 ? 0 : (slot - 4) >> 2; }

static inline unsigned rd_length_base(unsigned slot) {
    if (slot < 8) return slot + RD_SHORTEST;
    if (slot == 28) return RD_LONGEST;
    return ((4 + (slot & 3)) << rd_length_extra(slot)) + RD_SHORTEST;
}

/// 0...29 for distances minus one.
static inline unsigned rd_distance_slot(unsigned value) {
    if (value < 4) return value;
    const unsigned log = rd_log2(value);
    return log * 2 + ((value >> (log - 1)) & 1);
}

static inline unsigned rd_distance_extra(unsigned slot) { return slot < 4 ? 0 : (slot - 2) >> 1; }

/// Minus one.
static inline unsigned rd_distance_base(unsigned slot) {
    return slot < 4 ? slot : (2 + (slot & 1)) << rd_distance_extra(slot);
}
