#include "ResamplePlain.h"

extern const tpk_resample_kernels tpk_resample_plain;
#if defined(__x86_64__)
extern const tpk_resample_kernels tpk_resample_sse2, tpk_resample_avx2;
#endif

const tpk_resample_kernels *tpk_resample_kernels_for(tpk_form form) {
    if (!tpk_has_form(form)) return 0;
    switch (form) {
#if defined(__x86_64__)
    case TPK_FORM_SSE2:
        return &tpk_resample_sse2;
    case TPK_FORM_AVX2:
        return &tpk_resample_avx2;
#endif
    default:
        return &tpk_resample_plain;
    }
}

void tpk_finish_sums(const float *sums, uint8_t *out, int count) {
#pragma STDC FP_CONTRACT OFF
    for (int i = 0; i < count; i++) {
        const float value = sums[i] * (1.0f / 128) + 128.5f;
        out[i] = tpk_saturate8((int32_t)value);
        if (i % 4 == 3) tpk_clamp_to_alpha(out + i - 3);
    }
}

void tpk_horizontal_float(const float *row, const int32_t *starts, const float *weights, int taps, int outputs,
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

void tpk_accumulate_float(const float *row, float weight, float *sums, int count) {
#pragma STDC FP_CONTRACT OFF
    for (int i = 0; i < count; i++) sums[i] += weight * row[i];
}
