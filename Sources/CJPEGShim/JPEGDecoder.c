#include <stdlib.h>
#include <string.h>

#include "CJPEGShim.h"
#include "JPEGErrors.h"

struct cj_decoder {
    struct jpeg_decompress_struct info;
    cj_errors errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    cj_facts facts;
    int maximum_scans;
    /// Bit i: there was a scan with component i.
    unsigned seen_components;
};

// MARK: Source: all bytes, then an end-of-image marker if the file has none.

static void source_nothing(j_decompress_ptr info) { (void)info; }

static boolean source_fill(j_decompress_ptr info) {
    static const JOCTET end[2] = {0xFF, JPEG_EOI};
    cj_decoder *decoder = info->client_data;
    decoder->facts.ran_out = 1;
    info->src->next_input_byte = end;
    info->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

static void source_skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    if ((size_t)count >= info->src->bytes_in_buffer) {
        source_fill(info);
    } else {
        info->src->next_input_byte += count;
        info->src->bytes_in_buffer -= (size_t)count;
    }
}

// MARK: Warnings and progress

static void on_warning(j_common_ptr common, int code) {
    if (code != JWRN_HIT_MARKER) return;
    j_decompress_ptr info = (j_decompress_ptr)common;
    cj_decoder *decoder = info->client_data;
    if (decoder->facts.lacks_data) return;
    decoder->facts.lacks_data = 1;
    decoder->facts.good_rows =
        (info->output_iMCU_row + 1) * (unsigned)(info->max_v_samp_factor * info->min_DCT_scaled_size);
}

static void on_progress(j_common_ptr common) {
    j_decompress_ptr info = (j_decompress_ptr)common;
    cj_decoder *decoder = info->client_data;
    if (info->input_scan_number > decoder->maximum_scans) {
        snprintf(
            decoder->facts.message, sizeof decoder->facts.message, "more than %d scans", decoder->maximum_scans);
        decoder->facts.failure = CJ_FAILURE_DAMAGE;
        longjmp(decoder->errors.escape, 1);
    }
    for (int i = 0; i < info->comps_in_scan; i++) {
        decoder->seen_components |= 1u << info->cur_comp_info[i]->component_index;
    }
}

// Returns whether all coefficients of all components are there in full precision.
static int has_all_coefficients(const cj_decoder *decoder) {
    const struct jpeg_decompress_struct *info = &decoder->info;
    if (!info->coef_bits) return decoder->seen_components == (1u << info->num_components) - 1;
    for (int c = 0; c < info->num_components; c++) {
        for (int k = 0; k < DCTSIZE2; k++) {
            if (info->coef_bits[c][k] != 0) return 0;
        }
    }
    return 1;
}

// MARK: Interface

cj_decoder *cj_decoder_new(void) {
    cj_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    cj_errors_install(&decoder->errors, &decoder->facts);
    decoder->errors.on_warning = on_warning;
    decoder->info.err = &decoder->errors.base;
    if (setjmp(decoder->errors.escape)) {
        free(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->info);
    decoder->info.client_data = decoder;
    return decoder;
}

void cj_decoder_free(cj_decoder *decoder) {
    if (!setjmp(decoder->errors.escape)) jpeg_destroy_decompress(&decoder->info);
    free(decoder);
}

const cj_facts *cj_decoder_facts(const cj_decoder *decoder) { return &decoder->facts; }

int cj_decoder_open(cj_decoder *decoder, const uint8_t *data, size_t length) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->errors.escape)) return -1;
    decoder->source.init_source = source_nothing;
    decoder->source.fill_input_buffer = source_fill;
    decoder->source.skip_input_data = source_skip;
    decoder->source.resync_to_restart = jpeg_resync_to_restart;
    decoder->source.term_source = source_nothing;
    decoder->source.next_input_byte = data;
    decoder->source.bytes_in_buffer = length;
    info->src = &decoder->source;
    jpeg_read_header(info, TRUE);
    decoder->facts.has_multiple_scans = jpeg_has_multiple_scans(info);
    return 0;
}

int cj_decoder_start(cj_decoder *decoder, unsigned scale, cj_output output, int maximum_scans) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->errors.escape)) return -1;
    decoder->maximum_scans = maximum_scans;
    decoder->progress.progress_monitor = on_progress;
    info->progress = &decoder->progress;
    cj_set_output(info, scale, output);
    jpeg_start_decompress(info);
    cj_record_output(info, &decoder->facts);
    decoder->facts.is_complete = !decoder->facts.has_multiple_scans || has_all_coefficients(decoder);
    return 0;
}

int cj_decoder_read(cj_decoder *decoder, uint8_t *rows, size_t bytes_per_row, unsigned count) {
    if (setjmp(decoder->errors.escape)) return -1;
    return cj_read_rows(&decoder->info, rows, bytes_per_row, count);
}
