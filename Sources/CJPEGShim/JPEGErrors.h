#pragma once

// Private to this target: the error manager of libjpeg with a jump back and a record of its messages, and what the two
// decoders share.

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

#include "CJPEGShim.h"

typedef struct {
    struct jpeg_error_mgr base;  // first: libjpeg hands out a pointer to it
    jmp_buf escape;
    /// Takes the message, the kind of failure and the number of warnings.
    cj_facts *facts;
    /// Called for each warning, or null.
    void (*on_warning)(j_common_ptr info, int code);
} cj_errors;

void cj_errors_install(cj_errors *errors, cj_facts *facts);

/// Sets the scale, in eighths, and the colours of the output.
void cj_set_output(struct jpeg_decompress_struct *info, unsigned scale, cj_output output);
/// Records the properties of the output, after the start of decompression.
void cj_record_output(const struct jpeg_decompress_struct *info, cj_facts *facts);
/// Reads up to `count` (at most 64) rows and returns their number.
int cj_read_rows(struct jpeg_decompress_struct *info, uint8_t *rows, size_t bytes_per_row, unsigned count);
