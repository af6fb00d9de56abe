#include "BlockWriter.h"

#include <string.h>

#include "PrefixCode.h"

enum {
    LENGTH_SYMBOLS = 19,
    REPEAT = 16,
    ZEROS = 17,
    MANY_ZEROS = 18,
    MOST_STORED = 65535,
};

/// The codes of one block.
typedef struct {
    uint8_t literal_lengths[RD_MOST_SYMBOLS];
    uint8_t distance_lengths[32];
    uint16_t literals[RD_MOST_SYMBOLS];
    uint16_t distances[32];
} codes;

/// The lengths of the codes as runs (RFC 1951, §3.2.7).
typedef struct {
    unsigned literal_count, distance_count, order_count, run_count;
    /// The symbol, and above 8 bits what follows it.
    uint16_t runs[RD_LITERALS_AND_LENGTHS + RD_DISTANCES];
    uint8_t lengths[LENGTH_SYMBOLS];
    uint16_t codes[LENGTH_SYMBOLS];
    uint64_t bits;
} header;

static const uint8_t order[LENGTH_SYMBOLS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

static inline unsigned extra_bits(unsigned symbol) {
    return symbol == REPEAT ? 2 : symbol == ZEROS ? 3 : symbol == MANY_ZEROS ? 7 : 0;
}

/// At most 56 bits fit at once; the target has room for 8 bytes more than are written.
static inline void flush(rd_writer *writer) {
    memcpy(writer->next, &writer->bits, 8);
    writer->next += writer->count >> 3;
    writer->bits >>= writer->count & ~7u;
    writer->count &= 7;
}

static inline void add(rd_writer *writer, uint64_t value, unsigned count) {
    writer->bits |= value << writer->count;
    writer->count += count;
}

static inline void put(rd_writer *writer, uint64_t value, unsigned count) {
    add(writer, value, count);
    flush(writer);
}

void rd_finish(rd_writer *writer) {
    writer->count = (writer->count + 7) & ~7u;
    flush(writer);
}

static header plan_header(const codes *block) {
    header plan = {.literal_count = RD_LITERALS_AND_LENGTHS, .distance_count = RD_DISTANCES};
    while (plan.literal_count > 257 && !block->literal_lengths[plan.literal_count - 1]) plan.literal_count--;
    while (plan.distance_count > 1 && !block->distance_lengths[plan.distance_count - 1]) plan.distance_count--;
    uint8_t all[RD_LITERALS_AND_LENGTHS + RD_DISTANCES];
    const unsigned count = plan.literal_count + plan.distance_count;
    memcpy(all, block->literal_lengths, plan.literal_count);
    memcpy(all + plan.literal_count, block->distance_lengths, plan.distance_count);

    uint32_t counts[LENGTH_SYMBOLS] = {0};
    for (unsigned i = 0; i < count;) {
        const unsigned value = all[i];
        unsigned run = 1;
        while (i + run < count && all[i + run] == value) run++;
        i += run;
        if (value == 0) {
            while (run >= 3) {
                const unsigned part = run < 138 ? run : 138;
                plan.runs[plan.run_count++] =
                    (uint16_t)(part < 11 ? ZEROS | (part - 3) << 8 : MANY_ZEROS | (part - 11) << 8);
                counts[part < 11 ? ZEROS : MANY_ZEROS]++;
                run -= part;
            }
        } else if (run > 3) {
            plan.runs[plan.run_count++] = (uint16_t)value;
            counts[value]++;
            run--;
            while (run >= 3) {
                const unsigned part = run < 6 ? run : 6;
                plan.runs[plan.run_count++] = (uint16_t)(REPEAT | (part - 3) << 8);
                counts[REPEAT]++;
                run -= part;
            }
        }
        for (; run > 0; run--) {
            plan.runs[plan.run_count++] = (uint16_t)value;
            counts[value]++;
        }
    }
    rd_code_lengths(counts, LENGTH_SYMBOLS, 7, plan.lengths);
    rd_codes(plan.lengths, LENGTH_SYMBOLS, plan.codes);
    plan.order_count = LENGTH_SYMBOLS;
    while (plan.order_count > 4 && !plan.lengths[order[plan.order_count - 1]]) plan.order_count--;
    plan.bits = 14 + 3 * plan.order_count;
    for (unsigned i = 0; i < LENGTH_SYMBOLS; i++) plan.bits += (uint64_t)counts[i] * (plan.lengths[i] + extra_bits(i));
    return plan;
}

static void write_header(rd_writer *writer, const header *plan) {
    put(writer, plan->literal_count - 257, 5);
    put(writer, plan->distance_count - 1, 5);
    put(writer, plan->order_count - 4, 4);
    for (unsigned i = 0; i < plan->order_count; i++) put(writer, plan->lengths[order[i]], 3);
    for (unsigned i = 0; i < plan->run_count; i++) {
        const unsigned symbol = plan->runs[i] & 255;
        put(writer, plan->codes[symbol], plan->lengths[symbol]);
        put(writer, plan->runs[i] >> 8, extra_bits(symbol));
    }
}

/// RFC 1951, §3.2.6.
static void make_fixed(codes *block) {
    for (unsigned i = 0; i < RD_MOST_SYMBOLS; i++) block->literal_lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(block->distance_lengths, 5, sizeof block->distance_lengths);
}

static uint64_t body_bits(const codes *block, const rd_counts *counts) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < RD_LITERALS_AND_LENGTHS; i++) {
        const unsigned extra = i < RD_FIRST_LENGTH ? 0 : rd_length_extra(i - RD_FIRST_LENGTH);
        bits += (uint64_t)counts->literals[i] * (block->literal_lengths[i] + extra);
    }
    for (unsigned i = 0; i < RD_DISTANCES; i++) {
        bits += (uint64_t)counts->distances[i] * (block->distance_lengths[i] + rd_distance_extra(i));
    }
    return bits;
}

static void write_stored(rd_writer *writer, const uint8_t *in, size_t count, int is_last) {
    do {
        const size_t part = count < MOST_STORED ? count : MOST_STORED;
        put(writer, is_last && part == count, 3);
        rd_finish(writer);
        put(writer, part | (uint64_t)(part ^ 0xFFFF) << 16, 32);
        memcpy(writer->next, in, part);
        writer->next += part;
        in += part;
        count -= part;
    } while (count > 0);
}

static void write_body(rd_writer *writer, const codes *block, const rd_token *tokens, size_t count) {
    rd_writer local = *writer;
    for (size_t i = 0; i < count; i++) {
        const rd_token token = tokens[i];
        if (token < RD_END_OF_BLOCK) {
            add(&local, block->literals[token], block->literal_lengths[token]);
            // Three literals and what was left take at most 52 bits, and a match 48 and what was left.
            if (local.count > 40) flush(&local);
            continue;
        }
        flush(&local);
        const unsigned length = token >> 16, distance = token & 0xFFFF;
        const unsigned length_slot = rd_length_slot(length), distance_slot = rd_distance_slot(distance);
        const unsigned symbol = RD_FIRST_LENGTH + length_slot;
        add(&local, block->literals[symbol], block->literal_lengths[symbol]);
        add(&local, length - rd_length_base(length_slot), rd_length_extra(length_slot));
        add(&local, block->distances[distance_slot], block->distance_lengths[distance_slot]);
        add(&local, distance - rd_distance_base(distance_slot), rd_distance_extra(distance_slot));
        flush(&local);
    }
    flush(&local);
    add(&local, block->literals[RD_END_OF_BLOCK], block->literal_lengths[RD_END_OF_BLOCK]);
    flush(&local);
    *writer = local;
}

void rd_write_block(
    rd_writer *writer, const rd_token *tokens, size_t token_count, const rd_counts *counts, const uint8_t *in,
    size_t in_count, int is_last) {
    codes block, fixed;
    rd_code_lengths(counts->literals, RD_LITERALS_AND_LENGTHS, 15, block.literal_lengths);
    rd_code_lengths(counts->distances, RD_DISTANCES, 15, block.distance_lengths);
    make_fixed(&fixed);
    const header plan = plan_header(&block);
    const uint64_t own = plan.bits + body_bits(&block, counts), common = body_bits(&fixed, counts);
    const uint64_t stored = (uint64_t)in_count * 8 + (in_count / MOST_STORED + 1) * 40;
    if (stored <= own && stored <= common) return write_stored(writer, in, in_count, is_last);
    codes *chosen = common <= own ? &fixed : &block;
    const unsigned literals = chosen == &fixed ? RD_MOST_SYMBOLS : RD_LITERALS_AND_LENGTHS;
    rd_codes(chosen->literal_lengths, literals, chosen->literals);
    rd_codes(chosen->distance_lengths, chosen == &fixed ? 32 : RD_DISTANCES, chosen->distances);
    put(writer, (is_last ? 1u : 0u) | (chosen == &fixed ? 1u : 2u) << 1, 3);
    if (chosen == &block) write_header(writer, &plan);
    write_body(writer, chosen, tokens, token_count);
}
