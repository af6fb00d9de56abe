#include <stdlib.h>
#include <string.h>

#include "CJPEGShim.h"
#include "JPEGErrors.h"

// What must survive a longjmp out of libjpeg.
typedef struct {
    struct jpeg_compress_struct info;
    cj_errors errors;
    struct jpeg_destination_mgr destination;
    unsigned char *bytes;
    size_t length, capacity;
    cj_facts facts;
} encoder;

static cj_failure fail(encoder *e, cj_failure failure) {
    jpeg_destroy_compress(&e->info);
    free(e->bytes);
    free(e);
    return failure;
}

// MARK: Destination: memory that doubles. libjpeg's own loses track of it when it jumps out.

static void destination_room(encoder *e) {
    e->destination.next_output_byte = e->bytes + e->length;
    e->destination.free_in_buffer = e->capacity - e->length;
}

static void destination_init(j_compress_ptr info) { (void)info; }

static boolean destination_grow(j_compress_ptr info) {
    encoder *e = info->client_data;
    unsigned char *grown = realloc(e->bytes, e->capacity * 2);
    if (!grown) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    e->bytes = grown;
    // libjpeg calls this when the whole buffer is full, whatever the counters say.
    e->length = e->capacity;
    e->capacity *= 2;
    destination_room(e);
    return TRUE;
}

static void destination_end(j_compress_ptr info) {
    encoder *e = info->client_data;
    e->length = e->capacity - e->destination.free_in_buffer;
}

cj_failure cj_encode(
    const uint8_t *pixels, unsigned width, unsigned height, size_t bytes_per_row, int quality, int chroma,
    int optimizes, int is_progressive, uint8_t **output, size_t *output_length) {
    encoder *e = calloc(1, sizeof *e);
    if (!e) return CJ_FAILURE_MEMORY;
    cj_errors_install(&e->errors, &e->facts);
    e->info.err = &e->errors.base;
    if (setjmp(e->errors.escape)) return fail(e, e->facts.failure);
    jpeg_create_compress(&e->info);
    e->info.client_data = e;
    e->capacity = 16384;
    e->bytes = malloc(e->capacity);
    if (!e->bytes) return fail(e, CJ_FAILURE_MEMORY);
    e->destination.init_destination = destination_init;
    e->destination.empty_output_buffer = destination_grow;
    e->destination.term_destination = destination_end;
    destination_room(e);
    e->info.dest = &e->destination;
    e->info.image_width = width;
    e->info.image_height = height;
    e->info.input_components = 4;
    e->info.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&e->info);
    jpeg_set_quality(&e->info, quality, TRUE);
    e->info.comp_info[0].h_samp_factor = chroma;
    e->info.comp_info[0].v_samp_factor = chroma;
    e->info.optimize_coding = optimizes ? TRUE : FALSE;
    if (is_progressive) jpeg_simple_progression(&e->info);
    jpeg_start_compress(&e->info, TRUE);
    while (e->info.next_scanline < height) {
        JSAMPROW rows[16];
        unsigned count = 0;
        for (; count < 16 && e->info.next_scanline + count < height; count++) {
            rows[count] = (JSAMPROW)(pixels + (size_t)(e->info.next_scanline + count) * bytes_per_row);
        }
        jpeg_write_scanlines(&e->info, rows, count);
    }
    jpeg_finish_compress(&e->info);
    *output = e->bytes;
    *output_length = e->length;
    jpeg_destroy_compress(&e->info);
    free(e);
    return CJ_FAILURE_NONE;
}
