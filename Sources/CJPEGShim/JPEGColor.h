#pragma once

// Private to this target: planes of 8-bit samples to opaque RGBA.

#include <stddef.h>
#include <stdint.h>

void cj_gray_to_rgba(uint8_t *output, const uint8_t *gray, size_t width);
void cj_rgb_to_rgba(uint8_t *output, const uint8_t *const planes[3], size_t width);
/// BT.601 in full range, as JFIF has it.
void cj_ycc_to_rgba(uint8_t *output, const uint8_t *const planes[3], size_t width);
