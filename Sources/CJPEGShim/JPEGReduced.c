#include "JPEGReduced.h"

#include <math.h>
#include <stdlib.h>

#include "JPEGColor.h"
#include "JPEGEntropy.h"

typedef struct {
    /// Blocks of an MCU, and samples of a block.
    unsigned blocks_across, blocks_down, samples_across, samples_down;
    const cj_codes *dc, *ac;
    int prediction;
    /// For each coefficient, in the order of the file, what it adds to each sample.
    float *basis;
    /// The samples of one row of MCUs.
    uint8_t *plane;
    size_t bytes_per_row;
} cj_plane;

struct cj_reduced {
    unsigned width, height, planes_count, blocks_in_mcu, mcus_across, mcus_left, rows_in_mcu;
    int is_rgb;
    cj_plane planes[3];
    cj_codes codes[8];
    cj_window window;
    cj_bits bits;
    unsigned restart_interval, until_restart, next_restart;
    /// The next row to hand out of those that are decoded, and of the image.
    unsigned next_row, rows_done;
};

enum { CJ_SMALLEST = 256 * 256 };

// MARK: What each coefficient adds

/// The mean of the cosine of `frequency` over the `8 / samples` full-size samples behind reduced sample `index`.
static double mean_cosine(unsigned frequency, unsigned index, unsigned samples) {
    const unsigned each = 8 / samples;
    double sum = 0;
    for (unsigned i = index * each; i < (index + 1) * each; i++) sum += cos((2 * i + 1) * frequency * M_PI / 16);
    return sum / each * (frequency == 0 ? M_SQRT1_2 : 1) / 2;
}

static void make_basis(cj_plane *plane, const JQUANT_TBL *table) {
    static const uint8_t natural_order[64] = {
        0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
        41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
        30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
    double across[8][8], down[8][8];
    for (unsigned frequency = 0; frequency < 8; frequency++) {
        for (unsigned i = 0; i < plane->samples_across; i++)
            across[frequency][i] = mean_cosine(frequency, i, plane->samples_across);
        for (unsigned i = 0; i < plane->samples_down; i++)
            down[frequency][i] = mean_cosine(frequency, i, plane->samples_down);
    }
    float *next = plane->basis;
    for (unsigned place = 0; place < 64; place++) {
        const unsigned u = natural_order[place] & 7, v = natural_order[place] >> 3;
        for (unsigned y = 0; y < plane->samples_down; y++)
            for (unsigned x = 0; x < plane->samples_across; x++)
                *next++ = (float)(table->quantval[natural_order[place]] * across[u][x] * down[v][y]);
    }
}

// MARK: Blocks

/// Of numbers with a half added, so that cutting rounds.
static inline __attribute__((always_inline)) void to_bytes(uint8_t *bytes, const float *block, const unsigned samples) {
    typedef int32_t ints __attribute__((vector_size(16)));
    typedef uint8_t bytes4 __attribute__((vector_size(4)));
    if (samples < 4) {
        for (unsigned i = 0; i < samples; i++) bytes[i] = (uint8_t)(block[i] < 0 ? 0 : block[i] > 255 ? 255 : block[i]);
        return;
    }
    const cj_floats most = {255, 255, 255, 255}, none = {0, 0, 0, 0};
    for (unsigned i = 0; i < samples / 4; i++) {
        const cj_floats value = ((const cj_floats *)block)[i];
        const ints is_more = value > most, is_some = value > none;
        const ints clamped = (is_more & (ints)most) | (~is_more & is_some & (ints)value);
        const bytes4 narrow = __builtin_convertvector(__builtin_convertvector((cj_floats)clamped, ints), bytes4);
        memcpy(bytes + 4 * i, &narrow, 4);
    }
}

static inline __attribute__((always_inline)) int decode_block(
    cj_bits *shared_bits, cj_plane *plane, uint8_t *output, const unsigned samples) {
    // A copy, which the compiler can keep in registers.
    cj_bits bits = *shared_bits;
    int error = 0;
    const int prediction = plane->prediction + cj_take_dc(&bits, plane->dc, &error);
    // Far beyond what differences of 8-bit samples can sum up to.
    if (error || prediction < -32768 || prediction > 32767) return -1;
    plane->prediction = prediction;
    _Alignas(16) float block[64];
    const float flat = 128.5f + (float)prediction * plane->basis[0];
    for (unsigned i = 0; i < samples; i++) block[i] = flat;
    if (cj_add_ac(&bits, plane->ac, plane->basis, block, samples) < 0) return -1;
    *shared_bits = bits;
    uint8_t bytes[64];
    to_bytes(bytes, block, samples);
    for (unsigned y = 0; y < plane->samples_down; y++, output += plane->bytes_per_row) {
        const uint8_t *row = bytes + y * plane->samples_across;
        switch (plane->samples_across) {
            case 1: *output = *row; break;
            case 2: memcpy(output, row, 2); break;
            case 4: memcpy(output, row, 4); break;
            default: memcpy(output, row, 8); break;
        }
    }
    return 0;
}

/// By the number of samples, so that the loops over them are unrolled.
static int decode_any_block(cj_bits *bits, cj_plane *plane, uint8_t *output) {
    switch (plane->samples_across * plane->samples_down) {
        case 1: return decode_block(bits, plane, output, 1);
        case 2: return decode_block(bits, plane, output, 2);
        case 4: return decode_block(bits, plane, output, 4);
        case 8: return decode_block(bits, plane, output, 8);
        case 16: return decode_block(bits, plane, output, 16);
        case 32: return decode_block(bits, plane, output, 32);
        default: return decode_block(bits, plane, output, 64);
    }
}

/// Nothing but the marker may stand between two intervals.
static int restart(cj_reduced *reduced) {
    cj_window *window = &reduced->window;
    const ptrdiff_t left = cj_window_left(window, &reduced->bits);
    if (left < 0 || left >= 8 || !window->is_at_marker || window->source_end - window->source < 2) return -1;
    if (window->source[0] != 0xFF || window->source[1] != 0xD0 + reduced->next_restart) return -1;
    cj_window_start(window, &reduced->bits, window->source + 2, window->source_end);
    reduced->next_restart = (reduced->next_restart + 1) & 7;
    reduced->until_restart = reduced->restart_interval;
    for (unsigned i = 0; i < reduced->planes_count; i++) reduced->planes[i].prediction = 0;
    return 0;
}

static int decode_mcu(cj_reduced *reduced, unsigned column) {
    for (unsigned i = 0; i < reduced->planes_count; i++) {
        cj_plane *plane = &reduced->planes[i];
        uint8_t *mcu = plane->plane + column * plane->blocks_across * plane->samples_across;
        for (unsigned y = 0; y < plane->blocks_down; y++) {
            for (unsigned x = 0; x < plane->blocks_across; x++) {
                uint8_t *output = mcu + y * plane->samples_down * plane->bytes_per_row + x * plane->samples_across;
                if (decode_any_block(&reduced->bits, plane, output) < 0) return -1;
            }
        }
    }
    return cj_window_left(&reduced->window, &reduced->bits) < 0 ? -1 : 0;
}

static int decode_row_of_mcus(cj_reduced *reduced) {
    for (unsigned column = 0; column < reduced->mcus_across; column++) {
        if (reduced->restart_interval > 0) {
            // At the end of the interval the marker must be seen, which the next window may begin with.
            if (reduced->until_restart == 0) {
                cj_window_prepare(&reduced->window, &reduced->bits);
                if (restart(reduced) < 0) return -1;
            }
            reduced->until_restart--;
        }
        cj_window_prepare(&reduced->window, &reduced->bits);
        if (decode_mcu(reduced, column) < 0) return -1;
    }
    return 0;
}

// MARK: Set-up

static int is_suitable(const struct jpeg_decompress_struct *info, unsigned reduction) {
    if (info->progressive_mode || info->arith_code || info->data_precision != 8) return 0;
    if (reduction != 2 && reduction != 4 && reduction != 8) return 0;
    if ((uint64_t)info->image_width * info->image_height < CJ_SMALLEST) return 0;
    if (info->comps_in_scan != info->num_components || info->Ss != 0 || info->Se != 63 || info->Ah != 0 || info->Al != 0)
        return 0;
    if (info->num_components == 1) return info->jpeg_color_space == JCS_GRAYSCALE;
    return info->num_components == 3 && (info->jpeg_color_space == JCS_YCbCr || info->jpeg_color_space == JCS_RGB);
}

static int set_up_plane(
    cj_reduced *reduced, const struct jpeg_decompress_struct *info, unsigned index, unsigned reduction,
    unsigned most_across, unsigned most_down) {
    const jpeg_component_info *component = info->cur_comp_info[index];
    cj_plane *plane = &reduced->planes[index];
    // The only component of a scan is not interleaved: its MCUs are single blocks (T.81, A.2.2).
    const int is_alone = info->num_components == 1;
    plane->blocks_across = is_alone ? 1 : (unsigned)component->h_samp_factor;
    plane->blocks_down = is_alone ? 1 : (unsigned)component->v_samp_factor;
    if (component->component_index != (int)index || most_across % plane->blocks_across != 0 ||
        most_down % plane->blocks_down != 0)
        return -1;
    // Subsampled components are reduced by less, so that all have the same number of samples.
    plane->samples_across = 8 / reduction * (most_across / plane->blocks_across);
    plane->samples_down = 8 / reduction * (most_down / plane->blocks_down);
    if (plane->samples_across > 8 || plane->samples_down > 8) return -1;
    reduced->blocks_in_mcu += plane->blocks_across * plane->blocks_down;
    if (reduced->blocks_in_mcu > 10) return -1;
    if (component->dc_tbl_no < 0 || component->dc_tbl_no > 3 || component->ac_tbl_no < 0 || component->ac_tbl_no > 3 ||
        component->quant_tbl_no < 0 || component->quant_tbl_no > 3)
        return -1;
    const JQUANT_TBL *quantisation = info->quant_tbl_ptrs[component->quant_tbl_no];
    cj_codes *dc = &reduced->codes[component->dc_tbl_no], *ac = &reduced->codes[4 + component->ac_tbl_no];
    if (!quantisation || cj_codes_make(dc, info->dc_huff_tbl_ptrs[component->dc_tbl_no], 1) < 0 ||
        cj_codes_make(ac, info->ac_huff_tbl_ptrs[component->ac_tbl_no], 0) < 0)
        return -1;
    plane->dc = dc;
    plane->ac = ac;
    plane->bytes_per_row = (size_t)reduced->mcus_across * plane->blocks_across * plane->samples_across;
    plane->basis = aligned_alloc(16, 64 * plane->samples_across * plane->samples_down * sizeof *plane->basis);
    plane->plane = malloc(plane->bytes_per_row * reduced->rows_in_mcu);
    if (!plane->basis || !plane->plane) return -1;
    make_basis(plane, quantisation);
    return 0;
}

cj_reduced *cj_reduced_new(
    const struct jpeg_decompress_struct *info, const uint8_t *data, size_t length, unsigned reduction) {
    if (!is_suitable(info, reduction)) return NULL;
    cj_reduced *reduced = calloc(1, sizeof *reduced);
    if (!reduced) return NULL;
    unsigned most_across = 1, most_down = 1;
    for (int i = 0; i < info->num_components && info->num_components > 1; i++) {
        const jpeg_component_info *component = info->cur_comp_info[i];
        if ((unsigned)component->h_samp_factor > most_across) most_across = (unsigned)component->h_samp_factor;
        if ((unsigned)component->v_samp_factor > most_down) most_down = (unsigned)component->v_samp_factor;
    }
    reduced->width = (info->image_width + reduction - 1) / reduction;
    reduced->height = (info->image_height + reduction - 1) / reduction;
    reduced->mcus_across = (info->image_width + most_across * 8 - 1) / (most_across * 8);
    reduced->mcus_left = (info->image_height + most_down * 8 - 1) / (most_down * 8);
    reduced->rows_in_mcu = most_down * 8 / reduction;
    reduced->next_row = reduced->rows_in_mcu;
    reduced->planes_count = (unsigned)info->num_components;
    reduced->is_rgb = info->jpeg_color_space == JCS_RGB;
    reduced->restart_interval = reduced->until_restart = info->restart_interval;
    cj_window_start(&reduced->window, &reduced->bits, data, data + length);
    for (unsigned i = 0; i < reduced->planes_count; i++) {
        if (set_up_plane(reduced, info, i, reduction, most_across, most_down) < 0) {
            cj_reduced_free(reduced);
            return NULL;
        }
    }
    return reduced;
}

void cj_reduced_free(cj_reduced *reduced) {
    if (!reduced) return;
    for (unsigned i = 0; i < reduced->planes_count; i++) {
        free(reduced->planes[i].basis);
        free(reduced->planes[i].plane);
    }
    free(reduced);
}

unsigned cj_reduced_width(const cj_reduced *reduced) { return reduced->width; }
unsigned cj_reduced_height(const cj_reduced *reduced) { return reduced->height; }
unsigned cj_reduced_row_group(const cj_reduced *reduced) { return reduced->rows_in_mcu; }

int cj_reduced_read(cj_reduced *reduced, uint8_t *rows, size_t bytes_per_row, unsigned count) {
    unsigned done = 0;
    for (; done < count && reduced->rows_done < reduced->height; done++, reduced->rows_done++, reduced->next_row++) {
        if (reduced->next_row == reduced->rows_in_mcu) {
            if (reduced->mcus_left == 0 || decode_row_of_mcus(reduced) < 0) return -1;
            reduced->mcus_left--;
            reduced->next_row = 0;
        }
        const uint8_t *sources[3];
        for (unsigned i = 0; i < reduced->planes_count; i++)
            sources[i] = reduced->planes[i].plane + reduced->next_row * reduced->planes[i].bytes_per_row;
        uint8_t *row = rows + done * bytes_per_row;
        if (reduced->planes_count == 1)
            cj_gray_to_rgba(row, sources[0], reduced->width);
        else if (reduced->is_rgb)
            cj_rgb_to_rgba(row, sources, reduced->width);
        else
            cj_ycc_to_rgba(row, sources, reduced->width);
    }
    return (int)done;
}
