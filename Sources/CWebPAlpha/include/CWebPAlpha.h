#pragma once

#include <stddef.h>
#include <stdint.h>

/// Decodes the content of an ALPH chunk (RFC 9649, §2.7.1.2) into `width` * `height` bytes, quicker than libwebp for
/// small images: it builds tables for one channel instead of four, and keeps one byte for each pixel.
///
/// Handles what encoders write for alpha: raw bytes, or one group of prefix codes, with predictors and palettes. Returns 0 for everything else and for damaged data, in which case `alpha` holds nothing of use and
/// libwebp has to say what it is.
int wa_decode(const uint8_t *_Nonnull chunk, size_t count, unsigned width, unsigned height, uint8_t *_Nonnull alpha);
