#include "JPEGErrors.h"

static cj_failure failure_of(int code) {
    switch (code) {
        case JERR_OUT_OF_MEMORY: return CJ_FAILURE_MEMORY;
        case JERR_ARITH_NOTIMPL:
        case JERR_CCIR601_NOTIMPL:
        case JERR_CONVERSION_NOTIMPL:
        case JERR_FRACT_SAMPLE_NOTIMPL:
        case JERR_NOT_COMPILED:
        case JERR_NOTIMPL: return CJ_FAILURE_UNSUPPORTED;
        default: return CJ_FAILURE_DAMAGE;
    }
}

static void error_exit(j_common_ptr info) {
    cj_errors *errors = (cj_errors *)info->err;
    char text[JMSG_LENGTH_MAX];
    errors->base.format_message(info, text);
    snprintf(errors->facts->message, sizeof errors->facts->message, "%s", text);
    errors->facts->failure = failure_of(errors->base.msg_code);
    longjmp(errors->escape, 1);
}

static void emit_message(j_common_ptr info, int level) {
    if (level >= 0) return;  // traces
    cj_errors *errors = (cj_errors *)info->err;
    if (errors->facts->warning_count++ == 0) {
        char text[JMSG_LENGTH_MAX];
        errors->base.format_message(info, text);
        snprintf(errors->facts->message, sizeof errors->facts->message, "%s", text);
    }
    if (errors->on_warning) errors->on_warning(info, errors->base.msg_code);
}

// libjpeg must not print.
static void output_message(j_common_ptr info) { (void)info; }

void cj_errors_install(cj_errors *errors, cj_facts *facts) {
    jpeg_std_error(&errors->base);
    errors->base.error_exit = error_exit;
    errors->base.emit_message = emit_message;
    errors->base.output_message = output_message;
    errors->facts = facts;
    errors->on_warning = NULL;
}

void cj_set_output(struct jpeg_decompress_struct *info, unsigned scale, cj_output output) {
    info->scale_num = scale;
    info->scale_denom = 8;
    info->out_color_space = output == CJ_OUTPUT_CMYK ? JCS_CMYK : JCS_EXT_RGBA;
}

void cj_record_output(const struct jpeg_decompress_struct *info, cj_facts *facts) {
    facts->output_width = info->output_width;
    facts->output_height = info->output_height;
    facts->row_group = (unsigned)(info->max_v_samp_factor * info->min_DCT_scaled_size);
}

int cj_read_rows(struct jpeg_decompress_struct *info, uint8_t *rows, size_t bytes_per_row, unsigned count) {
    JSAMPROW pointers[64];
    const unsigned left = info->output_height - info->output_scanline;
    if (count > left) count = left;
    if (count > 64) count = 64;
    for (unsigned i = 0; i < count; i++) pointers[i] = rows + i * bytes_per_row;
    unsigned done = 0;
    while (done < count) {
        const unsigned got = jpeg_read_scanlines(info, pointers + done, count - done);
        if (got == 0) break;
        done += got;
    }
    return (int)done;
}
