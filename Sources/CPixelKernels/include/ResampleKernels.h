#pragma once

#include <stdint.h>

#include "CPUForm.h"

// Separable resampling of RGBA rows, horizontal pass first. Between the passes rows are kept in pairs of 16-bit
// numbers, (value - 128) * 128, so that overshoot of the negative lobes fits (-128 ... 383.99). How the two rows of a
// pair are interleaved depends on the form: pairs must be read by the form that wrote them.
//
// All forms return the same numbers, bit for bit.

/// The windows of one axis: output `i` is the sum of `taps` weights times the samples from `starts[i]` on.
typedef struct {
    /// First sample of each window: even, rising, at least 0.
    const int32_t *starts;
    /// `taps` weights for each output; those of samples behind the end are 0. Their sum is exactly 1 << shift.
    const int16_t *weights;
    /// A multiple of 4.
    int32_t taps;
    /// 14 ... 22.
    int32_t shift;
    /// Number of outputs.
    int32_t count;
} ck_resample_axis;

typedef struct {
    /// Filters `pairCount` * 2 rows (1 or 2 pairs) of `width` RGBA pixels into pairs.
    /// `scratch` has 4 rows of `scratchStride` numbers: 4 * (width + taps + 8) at least, zero behind `4 * width`.
    void (*horizontal)(const uint8_t *const *rows, int pairCount, int width, int16_t *scratch, long scratchStride,
                       const ck_resample_axis *axis, int16_t *const *pairs);

    /// Weighs the rows of `pairCount` pairs, two weights (sum of all: 1 << shift, shift 14 or 15) for each pair,
    /// and writes `count` bytes, RGBA with no colour above its alpha. Pairs hold a multiple of 64 numbers a row.
    void (*vertical)(const int16_t *const *pairs, const int16_t *weights, int pairCount, int shift, uint8_t *out,
                     int count);

    /// sums[i] += first * (row 0 of the pair)[i] + second * (row 1)[i], for `count` numbers, a multiple of 64.
    void (*accumulate)(const int16_t *pair, float first, float second, float *sums, int count);
} ck_resample_kernels;

/// The kernels of one form; null if the machine does not have it.
const ck_resample_kernels *ck_resample_kernels_for(ck_form form);

/// Rounds what `accumulate` summed up with weights whose sum is 1: `count` bytes of RGBA with no colour above its alpha.
void ck_resample_finish_sums(const float *sums, uint8_t *out, int count);

// Floating point, for linear light. One form: the compiler makes vectors of it.

/// Filters one row of `axis->count` pixels out of RGBA floats; weights are floats, `taps` for each output.
void ck_resample_horizontal_float(const float *row, const int32_t *starts, const float *weights, int taps, int outputs,
                          float *out);

/// sums[i] += weight * row[i]
void ck_resample_accumulate_float(const float *row, float weight, float *sums, int count);
