#include "PrefixCodes.h"

enum { LENGTH_SYMBOLS = 19 };

/// Each length's codes are entered into a table of that size, which is then doubled for the next one: what is there
/// already holds for both values of the new bit.
static int build(const uint8_t *lengths, unsigned symbols, unsigned most, uint16_t *space, wa_code *code) {
    unsigned per_length[WA_LONGEST_CODE + 1] = {0}, longest = 0, used = 0, last = 0;
    for (unsigned i = 0; i < symbols; i++) per_length[lengths[i]]++;
    for (unsigned length = 1; length <= most; length++) {
        used += per_length[length];
        if (per_length[length]) longest = length;
    }
    for (unsigned length = most + 1; length <= WA_LONGEST_CODE; length++) {
        if (per_length[length]) return 0;
    }
    code->entries = space;
    code->bits = 0;
    if (used <= 1) {
        while (last < symbols && !lengths[last]) last++;
        space[0] = (uint16_t)(last << 4);
        return used == 1;
    }
    // By length, and among equals by symbol.
    uint16_t sorted[WA_GREENS];
    unsigned next[WA_LONGEST_CODE + 2] = {0};
    for (unsigned length = 1; length <= longest; length++) next[length + 1] = next[length] + per_length[length];
    for (unsigned i = 0; i < symbols; i++) {
        if (lengths[i]) sorted[next[lengths[i]]++] = (uint16_t)i;
    }
    uint32_t value = 0;
    unsigned place = 0, size = 1;
    for (unsigned length = 1; length <= longest; length++) {
        memcpy(space + size, space, size * sizeof *space);
        size *= 2;
        value <<= 1;
        for (unsigned i = 0; i < per_length[length]; i++, value++) {
            if (value >= size) return 0;
            uint32_t reversed = 0;
            for (unsigned bit = 0; bit < length; bit++) reversed |= ((value >> bit) & 1) << (length - 1 - bit);
            space[reversed] = (uint16_t)(sorted[place++] << 4 | length);
        }
    }
    code->bits = longest;
    return value == size;
}

static int read_lengths(wa_reader *reader, unsigned symbols, uint8_t *lengths, uint16_t *space) {
    static const uint8_t order[LENGTH_SYMBOLS] = {17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    uint8_t short_lengths[LENGTH_SYMBOLS] = {0};
    const unsigned count = 4 + wa_bits(reader, 4);
    if (count > LENGTH_SYMBOLS) return 0;
    for (unsigned i = 0; i < count; i++) short_lengths[order[i]] = (uint8_t)wa_bits(reader, 3);
    wa_code code;
    if (!build(short_lengths, LENGTH_SYMBOLS, 7, space, &code)) return 0;
    unsigned left = symbols;
    if (wa_bits(reader, 1)) {
        const unsigned size = 2 + 2 * wa_bits(reader, 3);
        left = 2 + wa_bits(reader, size);
        if (left > symbols) return 0;
    }
    unsigned previous = 8;
    for (unsigned i = 0; i < symbols && left > 0; left--) {
        wa_refill(reader);
        const unsigned symbol = wa_symbol(reader, &code);
        if (symbol < 16) {
            lengths[i++] = (uint8_t)symbol;
            if (symbol) previous = symbol;
            continue;
        }
        const unsigned run = symbol == 16 ? 3 + wa_take(reader, 2)
            : symbol == 17                ? 3 + wa_take(reader, 3)
                                          : 11 + wa_take(reader, 7);
        if (run > symbols - i) return 0;
        if (symbol == 16) memset(lengths + i, (int)previous, run);
        i += run;
    }
    return 1;
}

int wa_read_code(wa_reader *reader, unsigned symbols, unsigned most, uint16_t *space, wa_code *code) {
    uint8_t lengths[WA_GREENS] = {0};
    if (wa_bits(reader, 1)) {
        const unsigned has_second = wa_bits(reader, 1);
        const unsigned is_wide = wa_bits(reader, 1), first = wa_bits(reader, is_wide ? 8 : 1);
        if (first >= symbols) return 0;
        lengths[first] = 1;
        if (has_second) {
            const unsigned second = wa_bits(reader, 8);
            if (second >= symbols) return 0;
            lengths[second] = 1;
        }
    } else if (!read_lengths(reader, symbols, lengths, space)) {
        return 0;
    }
    if (wa_is_past_end(reader) || !build(lengths, symbols, most, space, code)) return 0;
    return 1;
}
