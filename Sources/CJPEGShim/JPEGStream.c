#include <stdlib.h>
#include <string.h>

#include "CJPEGShim.h"
#include "JPEGErrors.h"

typedef enum { stage_header, stage_start, stage_scans, stage_complete, stage_failed } stage;

struct cj_stream {
    struct jpeg_decompress_struct info;
    cj_errors errors;
    struct jpeg_source_mgr source;
    cj_facts facts;
    stage stage;
    unsigned scale;
    cj_output output;
    int maximum_scans;
    /// The bytes that libjpeg has not consumed.
    uint8_t *bytes;
    size_t capacity;
    /// Number of further bytes to skip.
    size_t skip;
};

// MARK: Source: suspends libjpeg at the end of the bytes; it restarts at its last position.

static void source_nothing(j_decompress_ptr info) { (void)info; }

static boolean source_fill(j_decompress_ptr info) {
    (void)info;
    return FALSE;
}

static void source_skip(j_decompress_ptr info, long count) {
    cj_stream *stream = info->client_data;
    if (count <= 0) return;
    const size_t available = info->src->bytes_in_buffer;
    const size_t now = (size_t)count < available ? (size_t)count : available;
    stream->skip += (size_t)count - now;
    info->src->next_input_byte += now;
    info->src->bytes_in_buffer -= now;
}

static int fail(cj_stream *stream) {
    stream->stage = stage_failed;
    return -1;
}

cj_stream *cj_stream_new(void) {
    cj_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    cj_errors_install(&stream->errors, &stream->facts);
    stream->info.err = &stream->errors.base;
    if (setjmp(stream->errors.escape)) {
        free(stream);
        return NULL;
    }
    jpeg_create_decompress(&stream->info);
    stream->info.client_data = stream;
    stream->source.init_source = source_nothing;
    stream->source.fill_input_buffer = source_fill;
    stream->source.skip_input_data = source_skip;
    stream->source.resync_to_restart = jpeg_resync_to_restart;
    stream->source.term_source = source_nothing;
    stream->info.src = &stream->source;
    return stream;
}

void cj_stream_free(cj_stream *stream) {
    if (!setjmp(stream->errors.escape)) jpeg_destroy_decompress(&stream->info);
    free(stream->bytes);
    free(stream);
}

const cj_facts *cj_stream_facts(const cj_stream *stream) { return &stream->facts; }

void cj_stream_configure(cj_stream *stream, unsigned scale, cj_output output, int maximum_scans) {
    stream->scale = scale;
    stream->output = output;
    stream->maximum_scans = maximum_scans;
}

int cj_stream_is_started(const cj_stream *stream) {
    return stream->stage == stage_scans || stream->stage == stage_complete;
}

int cj_stream_is_complete(const cj_stream *stream) { return stream->stage == stage_complete; }

// Appends to the bytes that libjpeg has not consumed, which move to the front.
static int store(cj_stream *stream, const uint8_t *data, size_t length) {
    const size_t skipped = stream->skip < length ? stream->skip : length;
    stream->skip -= skipped;
    data += skipped;
    length -= skipped;
    const size_t left = stream->source.bytes_in_buffer;
    if (left > 0 && stream->source.next_input_byte != stream->bytes) {
        memmove(stream->bytes, stream->source.next_input_byte, left);
    }
    if (left + length > stream->capacity) {
        const size_t capacity = (left + length) * 2 + 4096;
        uint8_t *grown = realloc(stream->bytes, capacity);
        if (!grown) return -1;
        stream->bytes = grown;
        stream->capacity = capacity;
    }
    if (length > 0) memcpy(stream->bytes + left, data, length);
    stream->source.next_input_byte = stream->bytes;
    stream->source.bytes_in_buffer = left + length;
    return 0;
}

static int start(cj_stream *stream) {
    struct jpeg_decompress_struct *info = &stream->info;
    if (!jpeg_start_decompress(info)) return 0;
    cj_record_output(info, &stream->facts);
    stream->stage = stage_scans;
    return 1;
}

static void read_header(cj_stream *stream) {
    struct jpeg_decompress_struct *info = &stream->info;
    if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED) return;
    stream->facts.has_multiple_scans = jpeg_has_multiple_scans(info);
    cj_set_output(info, stream->scale, stream->output);
    // One scan needs no memory for coefficients: its rows are decoded directly.
    info->buffered_image = stream->facts.has_multiple_scans ? TRUE : FALSE;
    stream->stage = stage_start;
}

int cj_stream_append(cj_stream *stream, const uint8_t *data, size_t length) {
    if (stream->stage == stage_failed) return -1;
    if (stream->stage == stage_complete) return 0;
    if (store(stream, data, length) != 0) {
        stream->facts.failure = CJ_FAILURE_MEMORY;
        return fail(stream);
    }
    if (setjmp(stream->errors.escape)) return fail(stream);
    if (stream->stage == stage_header) read_header(stream);
    if (stream->stage == stage_start) start(stream);
    if (stream->stage != stage_scans || !stream->info.buffered_image) return 0;
    for (;;) {
        const int result = jpeg_consume_input(&stream->info);
        if (stream->info.input_scan_number > stream->maximum_scans) {
            snprintf(
                stream->facts.message, sizeof stream->facts.message, "more than %d scans", stream->maximum_scans);
            return fail(stream);
        }
        if (result == JPEG_SUSPENDED) return 0;
        if (result == JPEG_REACHED_EOI) {
            stream->stage = stage_complete;
            return 0;
        }
    }
}

int cj_stream_read(cj_stream *stream, uint8_t *rows, size_t bytes_per_row, unsigned count) {
    if (stream->stage == stage_complete) return 0;
    if (stream->stage != stage_scans || stream->info.buffered_image) return fail(stream);
    if (setjmp(stream->errors.escape)) return fail(stream);
    const int done = cj_read_rows(&stream->info, rows, bytes_per_row, count);
    if (stream->info.output_scanline == stream->info.output_height) stream->stage = stage_complete;
    return done;
}

int cj_stream_whole_scans(const cj_stream *stream) {
    if (stream->stage == stage_complete) return stream->info.input_scan_number;
    // The incomplete scan must not be rendered: its output pass would stop in the middle, and could continue only with
    // more input, not with a new pass.
    return stream->stage == stage_scans ? stream->info.input_scan_number - 1 : 0;
}

int cj_stream_begin_render(cj_stream *stream) {
    const int scan = cj_stream_whole_scans(stream);
    if (!stream->info.buffered_image || scan < 1) return -1;
    if (setjmp(stream->errors.escape)) return fail(stream);
    return jpeg_start_output(&stream->info, scan) ? 0 : fail(stream);
}

int cj_stream_render(cj_stream *stream, uint8_t *rows, size_t bytes_per_row, unsigned count) {
    if (setjmp(stream->errors.escape)) return fail(stream);
    return cj_read_rows(&stream->info, rows, bytes_per_row, count);
}

int cj_stream_end_render(cj_stream *stream) {
    if (setjmp(stream->errors.escape)) return fail(stream);
    return jpeg_finish_output(&stream->info) ? 0 : fail(stream);
}
