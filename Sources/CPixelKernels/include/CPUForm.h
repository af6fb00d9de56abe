#pragma once

/// The instruction sets that kernels are written for. `TPK_FORM_PLAIN` is C without intrinsics and runs everywhere.
typedef enum {
    TPK_FORM_PLAIN = 0,
    TPK_FORM_SSE2 = 1,
    TPK_FORM_AVX2 = 2,
    TPK_FORM_NEON = 3,
} tpk_form;

/// One more than the greatest form.
#define TPK_FORM_COUNT 4

/// Whether this machine runs the form and this build has it.
int tpk_has_form(tpk_form form);

/// The fastest form of this machine.
tpk_form tpk_best_form(void);
