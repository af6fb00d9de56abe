#pragma once

/// The instruction sets that kernels are written for. `CK_FORM_PLAIN` is C without intrinsics and runs everywhere.
typedef enum {
    CK_FORM_PLAIN = 0,
    CK_FORM_SSE2 = 1,
    CK_FORM_AVX2 = 2,
    CK_FORM_NEON = 3,
} ck_form;

/// One more than the greatest form.
#define CK_FORM_COUNT 4

/// Whether this machine runs the form and this build has it.
int ck_has_form(ck_form form);

/// The fastest form of this machine.
ck_form ck_best_form(void);
