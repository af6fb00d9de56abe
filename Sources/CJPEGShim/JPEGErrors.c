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

// Nothing is ever printed.
static void output_message(j_common_ptr info) { (void)info; }

void cj_errors_install(cj_errors *errors, cj_facts *facts) {
    jpeg_std_error(&errors->base);
    errors->base.error_exit = error_exit;
    errors->base.emit_message = emit_message;
    errors->base.output_message = output_message;
    errors->facts = facts;
    errors->on_warning = NULL;
}
