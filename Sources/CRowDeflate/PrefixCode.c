#include "PrefixCode.h"

#include <string.h>

/// Sorts by the number in the upper bits, three digits of eight bits: counts of one block stay below 2^24.
static void sort(uint64_t *values, unsigned count) {
    uint64_t other[RD_MOST_SYMBOLS];
    uint64_t *from = values, *to = other;
    for (unsigned shift = 16; shift < 40; shift += 8) {
        unsigned places[257] = {0};
        for (unsigned i = 0; i < count; i++) places[((from[i] >> shift) & 255) + 1]++;
        if (places[1] == count) continue;
        for (unsigned i = 0; i < 256; i++) places[i + 1] += places[i];
        for (unsigned i = 0; i < count; i++) to[places[(from[i] >> shift) & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != values) memcpy(values, from, count * sizeof *values);
}

void rd_code_lengths(const uint32_t *counts, unsigned symbols, unsigned longest, uint8_t *lengths) {
    // The count above, the symbol in the lower 16 bits.
    uint64_t leaves[RD_MOST_SYMBOLS];
    unsigned used = 0;
    memset(lengths, 0, symbols);
    for (unsigned i = 0; i < symbols; i++) {
        if (counts[i]) leaves[used++] = (uint64_t)counts[i] << 16 | i;
    }
    if (used < 2) {
        if (used) lengths[leaves[0] & 0xFFFF] = 1;
        return;
    }
    sort(leaves, used);

    // Huffman's tree: leaves and inner nodes each come in ascending order.
    uint32_t weights[RD_MOST_SYMBOLS * 2];
    uint16_t parents[RD_MOST_SYMBOLS * 2];
    for (unsigned i = 0; i < used; i++) weights[i] = (uint32_t)(leaves[i] >> 16);
    unsigned leaf = 0, inner = used;
    const unsigned nodes = 2 * used - 1;
    for (unsigned next = used; next < nodes; next++) {
        uint32_t sum = 0;
        for (unsigned side = 0; side < 2; side++) {
            const unsigned least =
                leaf < used && (inner >= next || weights[leaf] <= weights[inner]) ? leaf++ : inner++;
            sum += weights[least];
            parents[least] = (uint16_t)next;
        }
        weights[next] = sum;
    }
    uint16_t depths[RD_MOST_SYMBOLS * 2];
    uint32_t perLength[16] = {0};
    depths[nodes - 1] = 0;
    for (unsigned i = nodes - 1; i-- > 0;) {
        depths[i] = depths[parents[i]] + 1;
        if (i < used) perLength[depths[i] < longest ? depths[i] : longest]++;
    }
    // Codes that were cut take more than there is: each step moves one leaf down beside one of the longest.
    uint32_t taken = 0;
    for (unsigned length = 1; length <= longest; length++) taken += perLength[length] << (longest - length);
    for (; taken > 1u << longest; taken--) {
        unsigned length = longest - 1;
        while (!perLength[length]) length--;
        perLength[length]--;
        perLength[length + 1] += 2;
        perLength[longest]--;
    }
    unsigned next = 0;
    for (unsigned length = longest; length > 0; length--) {
        for (uint32_t left = perLength[length]; left > 0; left--) {
            lengths[leaves[next++] & 0xFFFF] = (uint8_t)length;
        }
    }
}

void rd_codes(const uint8_t *lengths, unsigned symbols, uint16_t *codes) {
    unsigned perLength[16] = {0}, next[16] = {0};
    for (unsigned i = 0; i < symbols; i++) perLength[lengths[i]]++;
    perLength[0] = 0;
    for (unsigned length = 1; length < 16; length++) next[length] = (next[length - 1] + perLength[length - 1]) << 1;
    for (unsigned i = 0; i < symbols; i++) {
        unsigned value = next[lengths[i]]++, reversed = 0;
        for (unsigned bit = 0; bit < lengths[i]; bit++, value >>= 1) reversed = reversed << 1 | (value & 1);
        codes[i] = (uint16_t)reversed;
    }
}
