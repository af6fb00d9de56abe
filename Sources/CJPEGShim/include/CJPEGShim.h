#pragma once

#include <stddef.h>
#include <stdint.h>

// libjpeg reports errors by longjmp, which must not cross Swift. These functions return a negative number instead, and
// `failure` and `message` of the facts hold the reason.

typedef struct cj_decoder cj_decoder;

typedef enum {
    CJ_OUTPUT_RGBA = 0,  // opaque
    CJ_OUTPUT_CMYK = 1,  // as stored
} cj_output;

typedef enum {
    CJ_FAILURE_NONE = 0,
    CJ_FAILURE_DAMAGE,
    /// Legal, but libjpeg cannot decode it.
    CJ_FAILURE_UNSUPPORTED,
    CJ_FAILURE_MEMORY,
} cj_failure;

typedef struct {
    // From the header.
    int has_multiple_scans;
    // From `cj_decoder_start`.
    unsigned output_width, output_height;
    /// Number of rows to read at once.
    unsigned row_group;
    // While decoding.
    /// The bytes ended, and an end-of-image marker was supplied.
    int ran_out;
    /// The data of the image ended early: set with `ran_out` if the file is truncated, without it if there is a marker in
    /// the middle of the data.
    int lacks_data;
    /// Number of rows from the first one that were decoded from data, if `lacks_data` in a file with one scan.
    unsigned good_rows;
    /// All coefficients of a file with several scans are there in full precision.
    int is_complete;
    int warning_count;
    cj_failure failure;
    /// The last error, or the first warning.
    char message[200];
} cj_facts;

/// Null if there is no memory.
cj_decoder *_Nullable cj_decoder_new(void);
void cj_decoder_free(cj_decoder *_Nonnull decoder);
const cj_facts *_Nonnull cj_decoder_facts(const cj_decoder *_Nonnull decoder);

/// Takes the whole file, which must stay in place, and reads up to the first scan.
int cj_decoder_open(cj_decoder *_Nonnull decoder, const uint8_t *_Nonnull data, size_t length);
/// - scale: 1...8, the size of the output in eighths.
/// - maximum_scans: a progressive file with more is refused; each of them costs a pass over the whole image.
int cj_decoder_start(cj_decoder *_Nonnull decoder, unsigned scale, cj_output output, int maximum_scans);
/// Decodes up to `count` (at most 64) rows; returns their number, 0 at the end.
int cj_decoder_read(
    cj_decoder *_Nonnull decoder, uint8_t *_Nonnull rows, size_t bytes_per_row, unsigned count);

/// - pixels: RGBA, alpha ignored.
/// - output: memory of malloc that the caller frees.
/// - chroma: 1 for full chroma resolution, 2 for half in both directions.
cj_failure cj_encode(
    const uint8_t *_Nonnull pixels, unsigned width, unsigned height, size_t bytes_per_row, int quality, int chroma,
    int optimizes, int is_progressive, uint8_t *_Nullable *_Nonnull output, size_t *_Nonnull output_length);

#include "JPEGStream.h"
