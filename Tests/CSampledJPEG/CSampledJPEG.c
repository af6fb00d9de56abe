#include "CSampledJPEG.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

double tt_sampled_value(const tt_sampled_layout *layout, int component, double x, double y) {
    // Slopes stay gentle in small images, so that coarse samples lie near the truth.
    const double across = x / (layout->width < 64 ? 64 : layout->width);
    const double down = y / (layout->height < 64 ? 64 : layout->height);
    switch (component) {
        case 0: return 70 + 100 * across + 20 * down;
        case 1: return 104 + 48 * down;
        case 2: return 152 - 48 * across;
        default: return 200 + 40 * across;
    }
}

typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf escape;
} errors;

static void on_error(j_common_ptr info) { longjmp(((errors *)info->err)->escape, 1); }

static int greatest(const int *factors, int count) {
    int result = 1;
    for (int i = 0; i < count; i++) result = factors[i] > result ? factors[i] : result;
    return result;
}

/// One scan for each component, or two where only the first coefficient comes first.
static int separate_scans(jpeg_scan_info *scans, int components, int is_progressive) {
    int count = 0;
    for (int part = 0; part <= is_progressive; part++)
        for (int i = 0; i < components; i++)
            scans[count++] = (jpeg_scan_info){
                .comps_in_scan = 1, .component_index = {i}, .Ss = part, .Se = is_progressive && !part ? 0 : 63};
    return count;
}

static void fill_row(const tt_sampled_layout *layout, int component, unsigned row, uint8_t *samples, unsigned count) {
    const double step_across =
        (double)greatest(layout->horizontal, layout->components) / layout->horizontal[component];
    const double step_down = (double)greatest(layout->vertical, layout->components) / layout->vertical[component];
    const double y = fmin((row + 0.5) * step_down - 0.5, layout->height - 1);
    for (unsigned i = 0; i < count; i++) {
        const double x = fmin((i + 0.5) * step_across - 0.5, layout->width - 1);
        samples[i] = (uint8_t)lround(tt_sampled_value(layout, component, x, y));
    }
}

static void set_up(j_compress_ptr info, const tt_sampled_layout *layout, jpeg_scan_info *scans) {
    const J_COLOR_SPACE spaces[] = {JCS_GRAYSCALE, JCS_UNKNOWN, JCS_YCbCr, layout->is_ycck ? JCS_YCCK : JCS_CMYK};
    info->image_width = layout->width;
    info->image_height = layout->height;
    info->input_components = layout->components;
    info->in_color_space = spaces[layout->components - 1];
    jpeg_set_defaults(info);
    jpeg_set_colorspace(info, info->in_color_space);
    jpeg_set_quality(info, 100, TRUE);
    for (int i = 0; i < layout->components; i++) {
        info->comp_info[i].h_samp_factor = layout->horizontal[i];
        info->comp_info[i].v_samp_factor = layout->vertical[i];
    }
    info->raw_data_in = TRUE;
    info->restart_interval = layout->restart_interval;
    if (layout->scans == TT_SCANS_INTERLEAVED) return;
    info->scan_info = scans;
    info->num_scans = separate_scans(scans, layout->components, layout->scans == TT_SCANS_PROGRESSIVE);
}

int tt_sampled_encode(const tt_sampled_layout *layout, uint8_t **output, unsigned long *length) {
    struct jpeg_compress_struct info;
    errors errors;
    jpeg_scan_info scans[8];
    *output = NULL;
    *length = 0;
    info.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = on_error;
    if (setjmp(errors.escape)) {
        jpeg_destroy_compress(&info);
        free(*output);
        *output = NULL;
        return -1;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, output, length);
    set_up(&info, layout, scans);
    jpeg_start_compress(&info, TRUE);
    const unsigned rows_at_once = (unsigned)info.max_v_samp_factor * DCTSIZE;
    // Memory of libjpeg, which it frees with the rest.
    JSAMPARRAY planes[4];
    for (int i = 0; i < layout->components; i++)
        planes[i] = info.mem->alloc_sarray(
            (j_common_ptr)&info, JPOOL_IMAGE, info.comp_info[i].width_in_blocks * DCTSIZE + 4 * DCTSIZE,
            (JDIMENSION)layout->vertical[i] * DCTSIZE);
    for (unsigned top = 0; top < layout->height; top += rows_at_once) {
        for (int i = 0; i < layout->components; i++) {
            const unsigned count = (unsigned)layout->vertical[i] * DCTSIZE;
            const unsigned first = top / rows_at_once * count;
            for (unsigned row = 0; row < count; row++)
                fill_row(layout, i, first + row, planes[i][row], info.comp_info[i].width_in_blocks * DCTSIZE + 4 * DCTSIZE);
        }
        jpeg_write_raw_data(&info, planes, rows_at_once);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    return 0;
}
