#pragma once

// Private to this target: Huffman decoding of baseline scans (ITU-T T.81, annex F) for JPEGReduced.c. Whatever is not as
// the standard has it ends the attempt with -1; libjpeg then takes the file, and knows how to be lenient.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

// MARK: Bits

enum {
    /// More than the ten blocks of the largest MCU can take (T.81, B.2.3), each with 64 codes and values of 31 bits.
    CJ_MOST_IN_MCU = 3072,
    CJ_WINDOW = 32 << 10,
};

/// Entropy-coded bytes up to the next marker, without the zeros that are stuffed behind each 0xFF: so nothing needs to be
/// looked at when bits are fetched. Zeros for one MCU follow the last byte.
typedef struct {
    const uint8_t *source, *source_end;
    int is_at_marker;
    uint8_t *end;
    uint8_t bytes[CJ_WINDOW + CJ_MOST_IN_MCU + 8];
} cj_window;

/// The next bits, the first one on top. Below `count` bits stand either zeros or the bits that follow anyway.
typedef struct {
    const uint8_t *next;
    uint64_t bits;
    unsigned count;
} cj_bits;

/// Begins behind a marker.
void cj_window_start(cj_window *window, cj_bits *bits, const uint8_t *source, const uint8_t *end);
/// Moves on; enough for an MCU is there then.
void cj_window_move(cj_window *window, cj_bits *bits);

static inline void cj_window_prepare(cj_window *window, cj_bits *bits) {
    if (window->end - bits->next < CJ_MOST_IN_MCU && !window->is_at_marker) cj_window_move(window, bits);
}

/// Bits that were not taken yet; negative if more was taken than there is.
static inline ptrdiff_t cj_window_left(const cj_window *window, const cj_bits *bits) {
    return (window->end - bits->next) * 8 + (ptrdiff_t)bits->count;
}

static inline __attribute__((always_inline)) void cj_fill(cj_bits *bits) {
    uint64_t word;
    memcpy(&word, bits->next, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    bits->bits |= word >> bits->count;
    bits->next += (63 - bits->count) >> 3;
    bits->count |= 56;
}

static inline __attribute__((always_inline)) void cj_drop(cj_bits *bits, unsigned count) {
    bits->bits <<= count;
    bits->count -= count;
}

/// - size: 1...15.
static inline __attribute__((always_inline)) int cj_take_value(cj_bits *bits, unsigned size) {
    const int value = (int)(bits->bits >> (64 - size));
    cj_drop(bits, size);
    return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

// MARK: Codes

enum { CJ_LOOK_AHEAD = 10 };

/// What the next bits begin with.
enum {
    CJ_LONG_CODE = 0,
    /// A code with the bits of its value: zeros to skip, the value.
    CJ_VALUE = 1,
    /// A code whose value follows, or 16 zeros.
    CJ_SYMBOL = 2,
    CJ_END_OF_BLOCK = 3,
};

typedef struct {
    /// Bits 0...5: how many bits are taken; 6...7: kind; 8...15: zeros, or the symbol; 16...31: the value.
    uint32_t ahead[1 << CJ_LOOK_AHEAD];
    /// For each length the first code behind those of the length, moved up to 16 bits.
    uint32_t limit[17];
    int32_t offset[17];
    uint8_t symbols[256];
} cj_codes;

/// -1 if the table is not a code.
int cj_codes_make(cj_codes *codes, const JHUFF_TBL *table, int is_dc);

/// The symbol of a code that is longer than the look-ahead, or -1.
static inline __attribute__((always_inline)) int cj_take_long_code(
    cj_bits *bits, const cj_codes *codes) {
    const uint32_t code = (uint32_t)(bits->bits >> 48);
    for (unsigned length = CJ_LOOK_AHEAD + 1; length <= 16; length++) {
        if (code >= codes->limit[length]) continue;
        cj_drop(bits, length);
        return codes->symbols[(codes->offset[length] + (int32_t)(code >> (16 - length))) & 0xFF];
    }
    return -1;
}

/// The difference to the block before; -1 in `error` for what is no code.
static inline __attribute__((always_inline)) int cj_take_dc(
    cj_bits *bits, const cj_codes *codes, int *error) {
    cj_fill(bits);
    const uint32_t entry = codes->ahead[bits->bits >> (64 - CJ_LOOK_AHEAD)];
    const unsigned kind = entry >> 6 & 3;
    if (kind != CJ_LONG_CODE) cj_drop(bits, entry & 63);
    if (kind == CJ_VALUE) return (int32_t)entry >> 16;
    const int size = kind == CJ_SYMBOL ? (int)(entry >> 8 & 0xFF) : cj_take_long_code(bits, codes);
    if (size < 0) *error = -1;
    return size > 0 ? cj_take_value(bits, (unsigned)size) : 0;
}

typedef float cj_floats __attribute__((vector_size(16), may_alias));

/// Blocks and bases are aligned to vectors.
static inline __attribute__((always_inline)) void cj_add(
    float *block, const float *part, int value, const unsigned samples) {
    const float factor = (float)value;
    if (samples < 4) {
        for (unsigned i = 0; i < samples; i++) block[i] += factor * part[i];
        return;
    }
    const cj_floats factors = {factor, factor, factor, factor};
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < samples / 4; i++)
        ((cj_floats *)block)[i] += factors * ((const cj_floats *)part)[i];
}

/// Adds what each coefficient contributes to the samples of a block.
///
/// - basis: `samples` numbers for each coefficient in the order of the file, with its quantisation.
/// Returns -1 for what is no code, and for coefficients behind the last.
static inline __attribute__((always_inline)) int cj_add_ac(
    cj_bits *bits, const cj_codes *codes, const float *basis, float *block, const unsigned samples) {
    unsigned place = 1;
    while (place < 64) {
        cj_fill(bits);
        uint32_t entry = codes->ahead[bits->bits >> (64 - CJ_LOOK_AHEAD)];
        // Up to four of these from one filling: they have ten bits at most.
        for (unsigned i = 0; i < 4 && (entry >> 6 & 3) == CJ_VALUE; i++) {
            cj_drop(bits, entry & 63);
            place += entry >> 8 & 0xFF;
            if (place > 63) return -1;
            if (samples > 1) cj_add(block, basis + place * samples, (int32_t)entry >> 16, samples);
            if (++place == 64) return 0;
            entry = codes->ahead[bits->bits >> (64 - CJ_LOOK_AHEAD)];
        }
        const unsigned kind = entry >> 6 & 3;
        if (kind == CJ_VALUE) continue;
        if (kind == CJ_END_OF_BLOCK) {
            cj_drop(bits, entry & 63);
            break;
        }
        cj_fill(bits);
        if (kind != CJ_LONG_CODE) cj_drop(bits, entry & 63);
        const int symbol = kind == CJ_SYMBOL ? (int)(entry >> 8 & 0xFF) : cj_take_long_code(bits, codes);
        if (symbol < 0) return -1;
        place += (unsigned)symbol >> 4;
        if ((symbol & 15) == 0) {
            if (symbol != 0xF0) break;
            place++;
            continue;
        }
        const int value = cj_take_value(bits, (unsigned)symbol & 15);
        if (place > 63) return -1;
        if (samples > 1) cj_add(block, basis + place * samples, value, samples);
        place++;
    }
    return place > 64 ? -1 : 0;
}
