#include "RotateKernel.h"

#include <math.h>
#include <string.h>

typedef float pixel __attribute__((vector_size(16)));

/// Four weights of the cubic of Catmull and Rom for a place between the second and the third sample.
static inline void weigh(float at, float weights[4]) {
    const float square = at * at, cube = square * at;
    weights[0] = -0.5f * cube + square - 0.5f * at;
    weights[1] = 1.5f * cube - 2.5f * square + 1;
    weights[2] = -1.5f * cube + 2 * square + 0.5f * at;
    weights[3] = 0.5f * cube - 0.5f * square;
}

static inline pixel load(const uint8_t *bytes) {
    return (pixel){(float)bytes[0], (float)bytes[1], (float)bytes[2], (float)bytes[3]};
}

static pixel sample(const uint8_t *source, long stride, int width, int height, double x, double y) {
    const double left = floor(x), top = floor(y);
    float across[4], down[4];
    weigh((float)(x - left), across);
    weigh((float)(y - top), down);
    const int column = (int)left - 1, row = (int)top - 1;
    pixel sum = {0, 0, 0, 0};
    if (column >= 0 && row >= 0 && column + 4 <= width && row + 4 <= height) {
        for (int j = 0; j < 4; j++) {
            const uint8_t *line = source + (row + j) * stride + (long)column * 4;
            const pixel part =
                load(line) * across[0] + load(line + 4) * across[1] + load(line + 8) * across[2] + load(line + 12) * across[3];
            sum += part * down[j];
        }
        return sum;
    }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
            if (row + j >= 0 && row + j < height && column + i >= 0 && column + i < width)
                sum += load(source + (row + j) * stride + (long)(column + i) * 4) * (down[j] * across[i]);
    return sum;
}

void ck_rotate(const uint8_t *source, long sourceStride, const ck_rotation *rotation, uint8_t *out, long stride,
               int width, int height) {
    const pixel ground = load(rotation->background);
    const double sine = rotation->sine, cosine = rotation->cosine;
    for (int y = 0; y < height; y++) {
        const double dy = y + 0.5 - height / 2.0;
        for (int x = 0; x < width; x++) {
            const double dx = x + 0.5 - width / 2.0;
            // Where the pixel comes from: the turn undone. Rows count downwards.
            const double fromX = dx * cosine - dy * sine + rotation->width / 2.0 - 0.5;
            const double fromY = dx * sine + dy * cosine + rotation->height / 2.0 - 0.5;
            uint8_t *to = out + y * stride + (long)x * 4;
            if (fromX <= -2 || fromY <= -2 || fromX >= rotation->width + 1 || fromY >= rotation->height + 1) {
                memcpy(to, rotation->background, 4);
                continue;
            }
            pixel value = sample(source, sourceStride, rotation->width, rotation->height, fromX, fromY);
            const float alpha = value[3] < 0 ? 0 : value[3] > 255 ? 255 : value[3];
            for (int channel = 0; channel < 3; channel++)
                value[channel] = value[channel] < 0 ? 0 : value[channel] > alpha ? alpha : value[channel];
            value[3] = alpha;
            value += ground * (1 - alpha / 255);
            for (int channel = 0; channel < 4; channel++) to[channel] = (uint8_t)(value[channel] + 0.5f);
        }
    }
}
