#include "Costs.h"

#include <string.h>

enum {
    BIT = 16,
    /// Of the head of a block with codes of its own, in 1/256 bits.
    HEADER = 600 * 256,
};

void rd_prepare_costs(rd_costs *costs) {
    for (unsigned i = 0; i < 256; i++) {
        // Squaring a number doubles its logarithm: what passes two is the next bit of it.
        uint64_t value = (uint64_t)(256 + i) << 22;
        unsigned result = 0;
        for (unsigned bit = 0; bit < 8; bit++) {
            value = value * value >> 30;
            result = result << 1 | (unsigned)(value >> 31);
            if (value >> 31) value >>= 1;
        }
        costs->logarithms[i] = (uint16_t)result;
    }
}

/// 256 * log2(value), rounded down.
static inline uint32_t logarithm(const rd_costs *costs, uint32_t value) {
    const unsigned log = rd_log2(value);
    return log * 256 + costs->logarithms[(uint32_t)((uint64_t)value << (32 - log) >> 24) & 255];
}

/// Symbols that were never used may come all the same.
static void measure(const rd_costs *costs, const uint32_t *counts, unsigned symbols, unsigned most, uint32_t *result) {
    uint32_t sum = 1;
    for (unsigned i = 0; i < symbols; i++) sum += counts[i];
    const uint32_t all = logarithm(costs, sum * 4);
    for (unsigned i = 0; i < symbols; i++) {
        const uint32_t cost = (all - logarithm(costs, counts[i] * 4 + 1)) / (256 / BIT);
        result[i] = cost < BIT ? BIT : cost > most * BIT ? most * BIT : cost;
    }
}

static void spread(rd_costs *costs, const uint32_t *literals, const uint32_t *distances) {
    memcpy(costs->literals, literals, sizeof costs->literals);
    for (unsigned length = RD_SHORTEST; length <= RD_LONGEST; length++) {
        const unsigned slot = rd_length_slot(length);
        costs->lengths[length] = literals[RD_FIRST_LENGTH + slot] + rd_length_extra(slot) * BIT;
    }
    for (unsigned value = 0; value < 256; value++) {
        const unsigned near = rd_distance_slot(value), far = rd_distance_slot(value << 7);
        costs->near[value] = distances[near] + rd_distance_extra(near) * BIT;
        costs->far[value] = distances[far] + rd_distance_extra(far) * BIT;
    }
}

void rd_guess_costs(rd_costs *costs, const uint8_t *in, size_t count) {
    uint32_t counts[RD_LITERALS_AND_LENGTHS] = {0}, literals[RD_LITERALS_AND_LENGTHS], distances[RD_DISTANCES];
    for (size_t i = 0; i < count; i++) counts[in[i]]++;
    measure(costs, counts, 256, 13, literals);
    for (unsigned i = RD_END_OF_BLOCK; i < RD_LITERALS_AND_LENGTHS; i++) literals[i] = 6 * BIT;
    for (unsigned i = 0; i < RD_DISTANCES; i++) distances[i] = 5 * BIT;
    spread(costs, literals, distances);
}

void rd_measure_costs(rd_costs *costs, const rd_counts *counts) {
    uint32_t literals[RD_LITERALS_AND_LENGTHS], distances[RD_DISTANCES];
    measure(costs, counts->literals, RD_LITERALS_AND_LENGTHS, 13, literals);
    measure(costs, counts->distances, RD_DISTANCES, 12, distances);
    spread(costs, literals, distances);
}

static uint64_t entropy(const rd_costs *costs, const uint32_t *counts, unsigned symbols) {
    uint64_t sum = 0, bits = 0;
    for (unsigned i = 0; i < symbols; i++) {
        if (!counts[i]) continue;
        sum += counts[i];
        bits += (uint64_t)counts[i] * logarithm(costs, counts[i]);
    }
    return sum ? sum * logarithm(costs, (uint32_t)sum) - bits : 0;
}

uint64_t rd_block_cost(const rd_costs *costs, const rd_counts *counts) {
    // What follows the symbols is the same in one block as in two.
    return HEADER + entropy(costs, counts->literals, RD_LITERALS_AND_LENGTHS)
        + entropy(costs, counts->distances, RD_DISTANCES);
}

void rd_add_counts(rd_counts *counts, const rd_counts *more) {
    for (unsigned i = 0; i < RD_LITERALS_AND_LENGTHS; i++) counts->literals[i] += more->literals[i];
    for (unsigned i = 0; i < RD_DISTANCES; i++) counts->distances[i] += more->distances[i];
}

void rd_fade_counts(rd_counts *counts, const rd_counts *more) {
    for (unsigned i = 0; i < RD_LITERALS_AND_LENGTHS; i++) {
        counts->literals[i] = counts->literals[i] / 2 + more->literals[i];
    }
    for (unsigned i = 0; i < RD_DISTANCES; i++) counts->distances[i] = counts->distances[i] / 2 + more->distances[i];
}
