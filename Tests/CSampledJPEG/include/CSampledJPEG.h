#pragma once

#include <stddef.h>
#include <stdint.h>

// Encodes JPEG files with any sampling factors. libjpeg takes samples of the components as they are stored, so the files
// may have ratios of factors that its own down-sampling refuses, such as 3:2.

typedef enum { TT_SCANS_INTERLEAVED, TT_SCANS_SEPARATE, TT_SCANS_PROGRESSIVE } tt_scans;

typedef struct {
    unsigned width, height;
    /// 1: grey, 3: YCbCr, 4: CMYK, or YCCK if `is_ycck`.
    int components;
    int is_ycck;
    int horizontal[4], vertical[4];
    tt_scans scans;
    /// In MCUs; 0 for none.
    unsigned restart_interval;
} tt_sampled_layout;

/// The value that component `component` has at a place in pixels, before any coding: a gentle slope.
double tt_sampled_value(const tt_sampled_layout *_Nonnull layout, int component, double x, double y);

/// - output: memory of malloc that the caller frees.
/// Returns 0, or -1 if libjpeg refuses the layout.
int tt_sampled_encode(
    const tt_sampled_layout *_Nonnull layout, uint8_t *_Nullable *_Nonnull output, unsigned long *_Nonnull length);
