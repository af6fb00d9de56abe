#include "CPUForm.h"

int ck_has_form(ck_form form) {
    switch (form) {
    case CK_FORM_PLAIN:
        return 1;
#if defined(__x86_64__)
    case CK_FORM_SSE2:
        return 1; // part of x86-64
    case CK_FORM_AVX2:
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") != 0; // asks for the operating system's support as well
#endif
#if defined(__aarch64__)
    case CK_FORM_NEON:
        return 1; // part of ARMv8-A
#endif
    default:
        return 0;
    }
}

ck_form ck_best_form(void) {
#if defined(__x86_64__)
    return ck_has_form(CK_FORM_AVX2) ? CK_FORM_AVX2 : CK_FORM_SSE2;
#elif defined(__aarch64__)
    return CK_FORM_NEON;
#else
    return CK_FORM_PLAIN;
#endif
}
