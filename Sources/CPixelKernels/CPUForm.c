#include "CPUForm.h"

int tpk_has_form(tpk_form form) {
    switch (form) {
    case TPK_FORM_PLAIN:
        return 1;
#if defined(__x86_64__)
    case TPK_FORM_SSE2:
        return 1; // part of x86-64
    case TPK_FORM_AVX2:
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") != 0; // asks for the operating system's support as well
#endif
#if defined(__aarch64__)
    case TPK_FORM_NEON:
        return 1; // part of ARMv8-A
#endif
    default:
        return 0;
    }
}

tpk_form tpk_best_form(void) {
#if defined(__x86_64__)
    return tpk_has_form(TPK_FORM_AVX2) ? TPK_FORM_AVX2 : TPK_FORM_SSE2;
#elif defined(__aarch64__)
    return TPK_FORM_NEON;
#else
    return TPK_FORM_PLAIN;
#endif
}
