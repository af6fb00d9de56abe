#pragma once

#include "CJPEGShim.h"

// A JPEG that is still arriving. Baseline files give rows as they come; files with several scans can be rendered after
// each whole scan.

typedef struct cj_stream cj_stream;

/// Null if there is no memory.
cj_stream *_Nullable cj_stream_new(void);
void cj_stream_free(cj_stream *_Nonnull stream);
const cj_facts *_Nonnull cj_stream_facts(const cj_stream *_Nonnull stream);

/// Takes the next bytes, which are copied, and reads on as far as they go.
int cj_stream_append(cj_stream *_Nonnull stream, const uint8_t *_Nonnull data, size_t length);
/// What to do once the header is there; call before the first `append`. See `cj_decoder_start`.
void cj_stream_configure(cj_stream *_Nonnull stream, unsigned scale, cj_output output, int maximum_scans);
/// 1 once `output_width` and `output_height` are known and rows can be asked for.
int cj_stream_is_started(const cj_stream *_Nonnull stream);
/// Baseline: rows that could be decoded, at most `count` (up to 64); 0 if more bytes are needed.
int cj_stream_read(
    cj_stream *_Nonnull stream, uint8_t *_Nonnull rows, size_t bytes_per_row, unsigned count);
/// Several scans: how many of them are whole.
int cj_stream_whole_scans(const cj_stream *_Nonnull stream);
/// Starts the rendering of the newest whole scan.
int cj_stream_begin_render(cj_stream *_Nonnull stream);
/// The next rows of it, at most 64.
int cj_stream_render(
    cj_stream *_Nonnull stream, uint8_t *_Nonnull rows, size_t bytes_per_row, unsigned count);
int cj_stream_end_render(cj_stream *_Nonnull stream);
/// 1 once the end-of-image marker was read.
int cj_stream_is_complete(const cj_stream *_Nonnull stream);
