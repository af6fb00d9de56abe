#pragma once

#include <stddef.h>

#include "DeflateSymbols.h"

/// Where the stream goes, and the bits that are no whole byte yet.
typedef struct {
    uint8_t *next;
    uint64_t bits;
    unsigned count;
} rd_writer;

/// Writes one block: stored, with the fixed codes or with its own, whichever is smallest.
/// - `counts`: of the tokens, with one end of block.
/// - `in`: the bytes that the tokens stand for.
void rd_write_block(
    rd_writer *writer, const rd_token *tokens, size_t token_count, const rd_counts *counts, const uint8_t *in,
    size_t in_count, int is_last);
/// Fills the last byte with zeros.
void rd_finish(rd_writer *writer);
