#pragma once

#include <stddef.h>
#include <stdint.h>

/// Adds to each pixel what its block's predictor says (RFC 9649, §3.5.1): `blocks` has one number for each square of
/// 1 << `bits` pixels. `has_alpha`: the other channels are not those of opaque black. Returns 0 if that would matter.
int wa_undo_predictors(
    uint8_t *pixels, unsigned width, unsigned height, const uint8_t *blocks, unsigned bits, int has_alpha);
/// The filters of the ALPH chunk (§2.7.1.2): none, horizontal, vertical, gradient.
void wa_undo_filter(uint8_t *pixels, unsigned width, unsigned height, unsigned filter);
