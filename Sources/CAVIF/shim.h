#pragma once
#include <avif/avif.h>

// libavif is not the same on every distribution: its structs changed at 1.0. What Swift reaches directly is named the
// same in 0.11 and 1.x; the rest is here.

/// The axis of an `imir` box: 0 exchanges top and bottom, 1 left and right.
static inline int ta_mirror_axis(const avifImage *image) {
#if AVIF_VERSION >= 1000000
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}

/// Sets the quality, 0...100, of colour and alpha.
static inline void ta_set_quality(avifEncoder *encoder, int quality, int alpha_quality) {
#if AVIF_VERSION >= 1000000
    encoder->quality = quality;
    encoder->qualityAlpha = alpha_quality;
#else
    // Before 1.0 the AV1 quantizer was set directly: 0 is lossless, 63 worst.
    int quantizer = ((100 - quality) * 63 + 50) / 100;
    int alpha_quantizer = ((100 - alpha_quality) * 63 + 50) / 100;
    encoder->minQuantizer = encoder->maxQuantizer = quantizer;
    encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = alpha_quantizer;
#endif
}

/// How often a sequence plays, 0 for ever. Before 1.0 it cannot be said.
static inline void ta_set_loop_count(avifEncoder *encoder, int count) {
#if AVIF_VERSION >= 1000000
    encoder->repetitionCount = count == 0 ? AVIF_REPETITION_COUNT_INFINITE : count - 1;
#else
    (void)encoder;
    (void)count;
#endif
}
