#pragma once

// Private to this target: libjpeg's error manager with a way back and a record of what it said.

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
