#include "ResamplePlain.h"

extern const ck_resample_kernels ck_resample_plain;
#if defined(__x86_64__)
extern const ck_resample_kernels ck_resample_sse2, ck_resample_avx2;
#elif defined(__aarch64__)
extern const ck_resample_kernels ck_resample_neon;
#endif

const ck_resample_kernels *ck_resample_kernels_for(ck_form form) {
    if (!ck_has_form(form)) return 0;
    switch (form) {
#if defined(__x86_64__)
    case CK_FORM_SSE2:
        return &ck_resample_sse2;
    case CK_FORM_AVX2:
        return &ck_resample_avx2;
#elif defined(__aarch64__)
    case CK_FORM_NEON:
        return &ck_resample_neon;
#endif
    default:
        return &ck_resample_plain;
    }
}

void ck_resample_finish_sums(const float *sums, uint8_t *out, int count) {
#pragma STDC FP_CONTRACT OFF
    for (int i = 0; i < count; i++) {
        const float value = sums[i] * (1.0f / 128) + 128.5f;
        out[i] = ck_saturate8((int32_t)value);
        if (i % 4 == 3) ck_clamp_to_alpha(out + i - 3);
    }
}

void ck_resample_horizontal_float(const float *row, const int32_t *starts, const float *weights, int taps, int outputs,
                          float *out) {
#pragma STDC FP_CONTRACT OFF
    for (int x = 0; x < outputs; x++) {
        const float *pixel = row + (long)starts[x] * 4;
        const float *weight = weights + (long)x * taps;
        float sums[4] = {0, 0, 0, 0};
        for (int tap = 0; tap < taps; tap++, pixel += 4)
            for (int channel = 0; channel < 4; channel++) sums[channel] += weight[tap] * pixel[channel];
        memcpy(out + (long)x * 4, sums, sizeof sums);
    }
}

void ck_resample_accumulate_float(const float *row, float weight, float *sums, int count) {
#pragma STDC FP_CONTRACT OFF
    for (int i = 0; i < count; i++) sums[i] += weight * row[i];
}
