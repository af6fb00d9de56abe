#pragma once

// Private to this target: a baseline JPEG straight to 1/2, 1/4 or 1/8 of its size, which is what thumbnails are made from.
//
// libjpeg does that too, but spends nearly all of the time on undoing the Huffman code with one symbol at a time, and turns
// coefficients into samples by transforms that want all of them. Here each coefficient, most of which are zero, adds its
// few reduced samples as soon as it is read. Each sample is the mean of the full-size samples that it stands for, as in libjpeg.

#include "CJPEGShim.h"

#include <stdio.h>

#include <jpeglib.h>

typedef struct cj_reduced cj_reduced;

/// - info: its header was read, nothing more; `data` begins with its entropy-coded segment.
/// - reduction: 2, 4 or 8.
/// Null if the file is not of a kind that this decodes: the usual way takes it then.
cj_reduced *cj_reduced_new(
    const struct jpeg_decompress_struct *info, const uint8_t *data, size_t length, unsigned reduction);
void cj_reduced_free(cj_reduced *reduced);
unsigned cj_reduced_width(const cj_reduced *reduced);
unsigned cj_reduced_height(const cj_reduced *reduced);
unsigned cj_reduced_row_group(const cj_reduced *reduced);
/// The next `count` rows as opaque RGBA. -1 if anything is not as it should be.
int cj_reduced_read(cj_reduced *reduced, uint8_t *rows, size_t bytes_per_row, unsigned count);
