#include "CRowDeflate.h"

#include <stdlib.h>
#include <string.h>

#include "BlockWriter.h"
#include "Costs.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the first differing byte is found as the lowest one"
#endif

enum {
    /// Bytes whose cheapest way is looked for at once.
    STEP = 1 << 14,
    /// Bytes of one block at most.
    BLOCK = 1 << 18,
    /// A match of this length is taken without looking for a better one, or for a cheaper part of it.
    LONG = 32,
    MOST_WAYS = 8,
    TABLE_BITS = 15,
};

/// A run that goes on: from one byte to the one before it a match grows by one as long as its distance stays.
typedef struct {
    uint32_t distance, length;
} rd_run;

/// A long match that is taken in any case.
typedef struct {
    uint32_t start, length, distance;
} rd_span;

typedef struct {
    const uint8_t *in;
    size_t count;
    unsigned ways, table_bits;
    /// The last place of three and of four bytes, and the last `ways` places of six, by their hash: the lower 16 bits of
    /// the place, and 16 more bits of the hash, which tell nearly always whether it is the same bytes.
    uint32_t *threes, *fours, *sixes;
    /// For each byte of a step how far back the tables found it, minus one; 65535 for nothing.
    uint16_t *last_three, *last_four, *last_sixes;
    uint32_t *cost;
    rd_token *choice;
    rd_span spans[STEP / LONG];
    size_t span_count;
    rd_costs costs;
} rd_search;

static inline uint64_t load(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, 8);
    return value;
}

static inline uint64_t hash(uint64_t bytes, unsigned count) {
    return (bytes << (64 - 8 * count)) * 0x9E3779B97F4A7C15ull;
}

/// What is entered for a place.
static inline uint32_t entry(uint64_t hash, unsigned bits, size_t place) {
    return (uint32_t)(hash >> (48 - bits)) << 16 | (uint16_t)place;
}

/// How far before the place of `entry` the one of `found` lies, minus one; 65535 for other bytes.
static inline uint16_t distance_to(uint32_t found, uint32_t entry) {
    return (found ^ entry) >> 16 ? 65535 : (uint16_t)(entry - found - 1);
}

/// How many bytes at `place` are those of `distance` before, from eight on that are; at most `most`.
static inline unsigned extend(const uint8_t *place, uint32_t distance, unsigned most) {
    unsigned length = 8;
    while (length + 8 <= most) {
        const uint64_t difference = load(place + length) ^ load(place + length - distance);
        if (difference) return length + ((unsigned)__builtin_ctzll(difference) >> 3);
        length += 8;
    }
    while (length < most && place[length] == place[(ptrdiff_t)length - (ptrdiff_t)distance]) length++;
    return length;
}

/// Looks places up and enters them, with hardly a branch: waiting for memory overlaps.
static inline __attribute__((always_inline)) void look_up(
    rd_search *search, size_t start, size_t count, unsigned ways, int has_threes) {
    const unsigned bits = search->table_bits;
    search->span_count = 0;
    size_t covered = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = search->in + start + i;
        const uint64_t bytes = load(at), six_hash = hash(bytes, 6);
        const uint32_t six_entry = entry(six_hash, bits, start + i);
        uint32_t *six = search->sixes + (six_hash >> (64 - bits)) * ways;
        uint32_t kept[MOST_WAYS];
        memcpy(kept, six, ways * sizeof *six);
        memcpy(six + 1, kept, (ways - 1) * sizeof *six);
        six[0] = six_entry;
        if (i < covered) continue;
        for (unsigned k = 0; k < ways; k++) search->last_sixes[i * ways + k] = distance_to(kept[k], six_entry);
        if (has_threes) {
            const uint64_t three_hash = hash(bytes, 3);
            const uint32_t three_entry = entry(three_hash, bits, start + i);
            uint32_t *three = search->threes + (three_hash >> (64 - bits));
            search->last_three[i] = distance_to(*three, three_entry);
            *three = three_entry;
        }
        const uint64_t four_hash = hash(bytes, 4);
        const uint32_t four_entry = entry(four_hash, bits, start + i);
        uint32_t *four = search->fours + (four_hash >> (64 - bits));
        search->last_four[i] = distance_to(*four, four_entry);
        *four = four_entry;
        const size_t distance = (size_t)search->last_sixes[i * ways] + 1;
        if (distance > RD_WINDOW || distance > start + i) continue;
        if (load(at - distance) != bytes || count - i < LONG) continue;
        const size_t rest = count - i;
        const unsigned length = extend(at, (uint32_t)distance, rest < RD_LONGEST ? (unsigned)rest : RD_LONGEST);
        if (length < LONG) continue;
        search->spans[search->span_count++] = (rd_span){(uint32_t)i, length, (uint32_t)distance};
        covered = i + length;
    }
}

/// At most `most`.
static inline __attribute__((always_inline)) unsigned match_length(
    const uint8_t *place, uint64_t bytes, uint32_t distance, unsigned most, rd_run *run) {
    const uint64_t difference = bytes ^ load(place - distance);
    unsigned length;
    if (difference) {
        length = (unsigned)__builtin_ctzll(difference) >> 3;
    } else if (run->distance == distance) {
        // The byte after this one was looked at before: what it has in common is known.
        length = run->length + 1;
    } else {
        length = extend(place, distance, most);
    }
    if (length > most) length = most;
    run->distance = distance;
    run->length = length;
    return length;
}

/// From the last byte of the step to the first: what the cheapest way from there to the end of the step costs, and how
/// it begins.
static inline __attribute__((always_inline)) void choose(
    rd_search *search, size_t start, size_t count, size_t searched, unsigned ways, int has_threes) {
    const uint8_t *in = search->in + start;
    uint32_t *cost = search->cost;
    const rd_costs *costs = &search->costs;
    rd_run runs[MOST_WAYS + 2] = {{0, 0}};
    size_t span = search->span_count;
    cost[count] = 0;
    for (size_t i = count; i-- > 0;) {
        if (span > 0 && i + 1 == search->spans[span - 1].start + search->spans[span - 1].length) {
            const rd_span *taken = &search->spans[--span];
            // No way leads through its inside.
            for (size_t k = taken->start + 1; k <= i; k++) cost[k] = UINT32_MAX / 2;
            i = taken->start;
            cost[i] = cost[i + taken->length] + rd_distance_cost(costs, taken->distance - 1)
                + costs->lengths[taken->length];
            search->choice[i] = taken->length << 16 | (taken->distance - 1);
            memset(runs, 0, sizeof runs);
            continue;
        }
        uint32_t best = cost[i + 1] + costs->literals[in[i]];
        rd_token choice = 0;
        const unsigned most = count - i < RD_LONGEST ? (unsigned)(count - i) : RD_LONGEST;
        if (i < searched) {
            const uint64_t bytes = load(in + i);
            // Places before the first byte were never entered.
            const size_t farthest = start + i < RD_WINDOW ? start + i : RD_WINDOW;
            unsigned longest = has_threes ? RD_SHORTEST - 1 : RD_SHORTEST;
            for (unsigned k = has_threes ? 0 : 1; k < ways + 2; k++) {
                const uint32_t found = k == 0   ? search->last_three[i]
                                       : k == 1 ? search->last_four[i]
                                                : search->last_sixes[i * ways + k - 2];
                const uint32_t distance = found + 1;
                if (distance > farthest) {
                    runs[k].distance = 0;
                    continue;
                }
                const unsigned length = match_length(in + i, bytes, distance, most, &runs[k]);
                if (length <= longest) continue;
                const uint32_t base = rd_distance_cost(costs, distance - 1);
                unsigned part = length < LONG ? longest + 1 : length;
                for (; part <= length; part++) {
                    const uint32_t total = base + costs->lengths[part] + cost[i + part];
                    if (total < best) {
                        best = total;
                        choice = part << 16 | (distance - 1);
                    }
                }
                longest = length;
            }
        }
        cost[i] = best;
        search->choice[i] = choice;
    }
}

static void step(rd_search *search, size_t start, size_t count, size_t searched, int has_threes, int looks_up) {
    // One copy of the loops for each number of ways.
    switch (search->ways) {
#define RD_STEP(WAYS)                                                             \
    case WAYS:                                                                    \
        if (has_threes) {                                                         \
            if (looks_up) look_up(search, start, searched, WAYS, 1);              \
            choose(search, start, count, searched, WAYS, 1);                      \
        } else {                                                                  \
            if (looks_up) look_up(search, start, searched, WAYS, 0);              \
            choose(search, start, count, searched, WAYS, 0);                      \
        }                                                                         \
        break;
        RD_STEP(1)
        RD_STEP(2)
        RD_STEP(4)
        RD_STEP(8)
#undef RD_STEP
    }
}

/// The tokens of the chosen way, counted.
static size_t follow(const rd_search *search, size_t start, size_t count, rd_token *tokens, rd_counts *counts) {
    size_t written = 0;
    for (size_t i = 0; i < count;) {
        const rd_token choice = search->choice[i];
        if (choice) {
            counts->literals[RD_FIRST_LENGTH + rd_length_slot(choice >> 16)]++;
            counts->distances[rd_distance_slot(choice & 0xFFFF)]++;
            tokens[written++] = choice;
            i += choice >> 16;
        } else {
            const uint8_t literal = search->in[start + i];
            counts->literals[literal]++;
            tokens[written++] = literal;
            i++;
        }
    }
    return written;
}

static size_t compress(rd_search *search, rd_token *tokens, uint8_t *out) {
    rd_writer writer = {out, 0, 0};
    rd_counts block = {{0}, {0}}, statistics = {{0}, {0}};
    size_t block_start = 0, token_count = 0;
    uint64_t block_cost = 0;
    int has_threes = 1;
    for (size_t start = 0; start < search->count; start += STEP) {
        const size_t count = search->count - start < STEP ? search->count - start : STEP;
        // The last places have not the eight bytes that are compared at once.
        const size_t readable = search->count - start < 8 ? 0 : search->count - start - 7;
        const size_t searched = readable < count ? readable : count;
        rd_counts counts = {{0}, {0}};
        if (start == 0) {
            // Nothing came before: guessed costs give a way, and its symbols better costs.
            rd_guess_costs(&search->costs, search->in, count);
            step(search, 0, count, searched, has_threes, 1);
            rd_counts first = {{0}, {0}};
            follow(search, 0, count, tokens, &first);
            rd_measure_costs(&search->costs, &first);
            step(search, 0, count, searched, has_threes, 0);
        } else {
            step(search, start, count, searched, has_threes, 1);
        }
        if (start - block_start + count > BLOCK) {
            block.literals[RD_END_OF_BLOCK] = 1;
            rd_write_block(&writer, tokens, token_count, &block, search->in + block_start, start - block_start, 0);
            block_start = start;
            token_count = 0;
        }
        const size_t added = follow(search, start, count, tokens + token_count, &counts);
        const uint64_t own = rd_block_cost(&search->costs, &counts);
        if (start == block_start) {
            block = counts;
            block_cost = own;
        } else {
            rd_counts both = block;
            rd_add_counts(&both, &counts);
            const uint64_t common = rd_block_cost(&search->costs, &both);
            if (common <= block_cost + own) {
                block = both;
                block_cost = common;
            } else {
                block.literals[RD_END_OF_BLOCK] = 1;
                rd_write_block(&writer, tokens, token_count, &block, search->in + block_start, start - block_start, 0);
                memmove(tokens, tokens + token_count, added * sizeof *tokens);
                block_start = start;
                token_count = 0;
                block = counts;
                block_cost = own;
            }
        }
        token_count += added;
        rd_fade_counts(&statistics, &counts);
        rd_measure_costs(&search->costs, &statistics);
        // Three bytes are worth a match only where literals are rare: in drawings, not in photographs.
        has_threes = added * 8 < count;
    }
    block.literals[RD_END_OF_BLOCK] = 1;
    rd_write_block(
        &writer, tokens, token_count, &block, search->in + block_start, search->count - block_start, 1);
    rd_finish(&writer);
    return (size_t)(writer.next - out);
}

size_t rd_deflate_bound(size_t count) {
    // A block is never larger than stored: five bytes for each 65,535, and blocks have at least one step. Behind it,
    // room for writing eight bytes at once.
    return count + (count / 65535 + count / STEP + 2) * 6 + 16;
}

size_t rd_deflate(const uint8_t *in, size_t count, uint8_t *out, unsigned ways) {
    if (count >= 1u << 31) return 0;
    rd_search search = {.in = in, .count = count, .ways = ways, .table_bits = 8};
    while (search.table_bits < TABLE_BITS && (size_t)1 << search.table_bits < count) search.table_bits++;
    const size_t table = (size_t)1 << search.table_bits, places = count < STEP ? count : STEP;
    const size_t numbers = table * (2 + ways) + (places * (2 + ways) + 1) / 2 + (places + 1) * 2
        + (count < BLOCK ? count : BLOCK + STEP);
    uint32_t *memory = malloc(numbers * sizeof *memory);
    if (!memory) return 0;
    search.threes = memory;
    search.fours = search.threes + table;
    search.sixes = search.fours + table;
    memset(memory, 0, table * (2 + ways) * sizeof *memory);
    search.cost = search.sixes + table * ways;
    search.choice = search.cost + places + 1;
    rd_token *tokens = search.choice + places + 1;
    search.last_three = (uint16_t *)(tokens + (count < BLOCK ? count : BLOCK + STEP));
    search.last_four = search.last_three + places;
    search.last_sixes = search.last_four + places;
    rd_prepare_costs(&search.costs);
    const size_t written = compress(&search, tokens, out);
    free(memory);
    return written;
}
