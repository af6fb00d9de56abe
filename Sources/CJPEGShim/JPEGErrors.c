#include "JPEGErrors.h"

static void error_exit(j_common_ptr info) {
    cj_errors *errors = (cj_errors *)info->err;
    char text[JMSG_LENGTH_MAX];
    errors->base.format_message(info, text);
    snprintf(errors->message, errors->message_size, "%s", text);
    longjmp(errors->escape, 1);
}

static void emit_message(j_common_ptr info, int level) {
    if (level >= 0) return;  // traces
    cj_errors *errors = (cj_errors *)info->err;
    if ((*errors->warning_count)++ == 0) {
        char text[JMSG_LENGTH_MAX];
        errors->base.format_message(info, text);
        snprintf(errors->message, errors->message_size, "%s", text);
    }
    if (errors->on_warning) errors->on_warning(info, errors->base.msg_code);
}

// Nothing is ever printed.
static void output_message(j_common_ptr info) { (void)info; }

void cj_errors_install(cj_errors *errors, char *message, size_t message_size, int *warning_count) {
    jpeg_std_error(&errors->base);
    errors->base.error_exit = error_exit;
    errors->base.emit_message = emit_message;
    errors->base.output_message = output_message;
    errors->message = message;
    errors->message_size = message_size;
    errors->warning_count = warning_count;
    errors->on_warning = NULL;
}
