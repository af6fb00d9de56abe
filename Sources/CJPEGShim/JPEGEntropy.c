#include "JPEGEntropy.h"

void cj_window_start(cj_window *window, cj_bits *bits, const uint8_t *source, const uint8_t *end) {
    window->source = source;
    window->source_end = end;
    window->is_at_marker = 0;
    window->end = window->bytes;
    *bits = (cj_bits){.next = window->bytes};
}

void cj_window_move(cj_window *window, cj_bits *bits) {
    if (bits->next > window->end) return;
    const size_t kept = (size_t)(window->end - bits->next);
    memmove(window->bytes, bits->next, kept);
    bits->next = window->bytes;
    uint8_t *output = window->bytes + kept;
    uint8_t *const limit = window->bytes + CJ_WINDOW;
    while (output < limit && !window->is_at_marker) {
        const size_t room = (size_t)(limit - output), left = (size_t)(window->source_end - window->source);
        const size_t most = room < left ? room : left;
        const uint8_t *marker = memchr(window->source, 0xFF, most);
        const size_t plain = marker ? (size_t)(marker - window->source) : most;
        memcpy(output, window->source, plain);
        output += plain;
        window->source += plain;
        if (marker && plain + 1 < left && marker[1] == 0) {
            *output++ = 0xFF;
            window->source += 2;
        } else if (marker || most == left) {
            window->is_at_marker = 1;
        }
    }
    window->end = output;
    memset(output, 0, CJ_MOST_IN_MCU + 8);
}

static void put(cj_codes *codes, uint32_t first, unsigned length, uint32_t entry) {
    const uint32_t count = 1u << (CJ_LOOK_AHEAD - length);
    for (uint32_t i = 0; i < count; i++) codes->ahead[first + i] = entry;
}

/// All ways in which the look-ahead can go on behind a code of `length` bits.
static void put_code(cj_codes *codes, uint32_t code, unsigned length, unsigned symbol, int is_dc) {
    const unsigned size = symbol & 15, zeros = symbol >> 4;
    const uint32_t first = code << (CJ_LOOK_AHEAD - length);
    if (size == 0) {
        const unsigned kind = is_dc ? CJ_VALUE : symbol == 0xF0 ? CJ_SYMBOL : CJ_END_OF_BLOCK;
        put(codes, first, length, length | kind << 6 | (is_dc ? 0 : symbol << 8));
    } else if (length + size > CJ_LOOK_AHEAD) {
        put(codes, first, length, length | CJ_SYMBOL << 6 | symbol << 8);
    } else {
        for (uint32_t bits = 0; bits < 1u << size; bits++) {
            const int value = bits < 1u << (size - 1) ? (int)bits - (1 << size) + 1 : (int)bits;
            put(codes, first | bits << (CJ_LOOK_AHEAD - length - size), length + size,
                (length + size) | CJ_VALUE << 6 | zeros << 8 | (uint32_t)value << 16);
        }
    }
}

int cj_codes_make(cj_codes *codes, const JHUFF_TBL *table, int is_dc) {
    memset(codes, 0, sizeof *codes);
    if (!table) return -1;
    memcpy(codes->symbols, table->huffval, sizeof codes->symbols);
    uint32_t code = 0, used = 0;
    for (unsigned length = 1; length <= 16; length++) {
        const uint32_t count = table->bits[length];
        // More codes than there are, or than there are symbols (T.81, annex C).
        if (used + count > 256 || code + count > 1u << length) return -1;
        codes->offset[length] = (int32_t)used - (int32_t)code;
        for (uint32_t i = 0; i < count; i++, code++, used++) {
            const unsigned symbol = codes->symbols[used];
            if (is_dc && symbol > 15) return -1;
            if (length <= CJ_LOOK_AHEAD) put_code(codes, code, length, symbol, is_dc);
        }
        codes->limit[length] = code << (16 - length);
        code <<= 1;
    }
    return 0;
}
