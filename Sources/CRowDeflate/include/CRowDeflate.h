#pragma once

#include <stddef.h>
#include <stdint.h>

/// The most that `rd_deflate` writes for `count` bytes.
size_t rd_deflate_bound(size_t count);

/// Compresses filtered image rows to a raw DEFLATE stream (RFC 1951). The same bytes in give the same bytes out on
/// every machine.
///
/// General compressors stop at the first good match, and their guesses at what a literal costs are wrong for filter
/// residues, which take some five bits. This one measures the codes of what came before, and takes the cheapest of all
/// ways through 16 KiB at a time.
///
/// - `out`: room for `rd_deflate_bound(count)` bytes.
/// - `ways`: how many earlier places with the same six bytes are looked at for each byte: 1, 2, 4 or 8.
/// Returns the bytes written, or 0 without memory, and for 2 GiB and more.
size_t rd_deflate(const uint8_t *_Nonnull in, size_t count, uint8_t *_Nonnull out, unsigned ways);
