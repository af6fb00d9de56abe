#pragma once

#include <stddef.h>

#include "DeflateSymbols.h"

/// What symbols are expected to cost, in 1/16 bits, what follows them included. All in whole numbers: floating point
/// differs between machines, and what is written must not.
typedef struct {
    uint32_t literals[256];
    uint32_t lengths[RD_LONGEST + 1];
    /// Of distances minus one: below 256 each, from there on by their upper bits.
    uint32_t near[256], far[256];
    /// 256 * log2(1 + i / 256).
    uint16_t logarithms[256];
} rd_costs;

static inline uint32_t rd_distance_cost(const rd_costs *costs, uint32_t value) {
    return value < 256 ? costs->near[value] : costs->far[value >> 7];
}

void rd_prepare_costs(rd_costs *costs);
/// From the literals alone.
void rd_guess_costs(rd_costs *costs, const uint8_t *in, size_t count);
/// As a code made for these counts would have them.
void rd_measure_costs(rd_costs *costs, const rd_counts *counts);
/// What a block with these counts takes, about, in 1/256 bits.
uint64_t rd_block_cost(const rd_costs *costs, const rd_counts *counts);
void rd_add_counts(rd_counts *counts, const rd_counts *more);
/// Halves what was counted before.
void rd_fade_counts(rd_counts *counts, const rd_counts *more);
