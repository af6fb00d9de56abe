// Runs the resampling kernels of the NEON form and of the plain form over the same random rows; every number must be
// the same. The forms lay out pairs differently, so what is compared is what leaves the vertical kernels.

#include <stdio.h>
#include <stdlib.h>

#include "CPixelKernels.h"

static uint64_t state = 1;

static uint32_t next(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

enum { LINES = 12 };

static void *cleared(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) abort();
    return memory;
}

static void run(const ck_resample_kernels *kernels, const uint8_t *image, int width, const ck_resample_axis *axis,
                const int16_t *lines, float first, uint8_t *out, uint8_t *summed) {
    const int length = (axis->count * 4 + 63) & ~63;
    const long stride = (width + axis->taps + 8) * 4;
    int16_t *scratch = cleared((size_t)stride * 4, sizeof *scratch);
    int16_t *pairs[LINES / 2];
    for (int i = 0; i < LINES / 2; i++) pairs[i] = cleared((size_t)length * 2, sizeof **pairs);
    for (int row = 0; row < LINES; row += 4) {
        const uint8_t *rows[4];
        for (int i = 0; i < 4; i++) rows[i] = image + (size_t)(row + i) * (size_t)width * 4;
        // One pair at a time in the last four rows.
        if (row + 4 < LINES) {
            kernels->horizontal(rows, 2, width, scratch, stride, axis, pairs + row / 2);
        } else {
            kernels->horizontal(rows, 1, width, scratch, stride, axis, pairs + row / 2);
            kernels->horizontal(rows + 2, 1, width, scratch, stride, axis, pairs + row / 2 + 1);
        }
    }
    kernels->vertical((const int16_t *const *)pairs, lines, LINES / 2, 14, out, axis->count * 4);
    float *sums = cleared((size_t)length, sizeof *sums);
    for (int i = 0; i < LINES / 2; i++) kernels->accumulate(pairs[i], first, first * 0.7f, sums, length);
    ck_resample_finish_sums(sums, summed, axis->count * 4);
    free(sums);
    for (int i = 0; i < LINES / 2; i++) free(pairs[i]);
    free(scratch);
}

int main(void) {
    const ck_resample_kernels *plain = ck_resample_kernels_for(CK_FORM_PLAIN);
    const ck_resample_kernels *best = ck_resample_kernels_for(ck_best_form());
    int compared = 0;
    for (int round = 0; round < 300; round++) {
        const int width = 1 + (int)(next() % 97), outputs = 1 + (int)(next() % 70);
        const int taps = 4 * (1 + (int)(next() % 5));
        uint8_t *image = cleared((size_t)width * LINES * 4, 1);
        for (int i = 0; i < width * LINES * 4; i++) image[i] = (uint8_t)next();
        int32_t *starts = cleared((size_t)outputs, sizeof *starts);
        int16_t *weights = cleared((size_t)outputs * (size_t)taps, sizeof *weights);
        for (int x = 0; x < outputs; x++) {
            starts[x] = (int32_t)((long)x * width / outputs) & ~1;
            // Weights with negative lobes and overshoot; their sum need not be right for comparing.
            for (int tap = 0; tap < taps && starts[x] + tap < width; tap++)
                weights[x * taps + tap] = (int16_t)((int)(next() % 12000) - 4000);
        }
        int16_t lines[LINES];
        for (int i = 0; i < LINES; i++) lines[i] = (int16_t)((int)(next() % 8000) - 3000);
        const ck_resample_axis axis = {starts, weights, taps, 14 + (int)(next() % 3), outputs};
        uint8_t *out = cleared((size_t)outputs * 4 * 4, 1);
        uint8_t *outs[4] = {out, out + outputs * 4, out + outputs * 8, out + outputs * 12};
        const float first = (float)((int)(next() % 2000) - 500) / 4000;
        run(plain, image, width, &axis, lines, first, outs[0], outs[1]);
        run(best, image, width, &axis, lines, first, outs[2], outs[3]);
        for (int i = 0; i < outputs * 8; i++, compared++)
            if (out[i] != out[outputs * 8 + i]) {
                printf("resample: round %d, number %d: plain %d, form %d gives %d\n", round, i, out[i],
                       (int)ck_best_form(), out[outputs * 8 + i]);
                return 1;
            }
        free(out);
        free(weights);
        free(starts);
        free(image);
    }
    printf("resample: form %d equals the plain form in %d numbers\n", (int)ck_best_form(), compared);
    return 0;
}
