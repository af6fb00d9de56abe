#pragma once

#include <stdint.h>

enum { RD_MOST_SYMBOLS = 288 };

/// The lengths of a prefix code for symbols used so often, none over `longest` bits; 0 for symbols that are not used.
void rd_code_lengths(const uint32_t *counts, unsigned symbols, unsigned longest, uint8_t *lengths);
/// The codes of these lengths (RFC 1951, §3.2.2), first bit lowest, as they are written.
void rd_codes(const uint8_t *lengths, unsigned symbols, uint16_t *codes);
