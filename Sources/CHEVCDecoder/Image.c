#include "Library.h"

#ifdef CHEVC_IS_BUILT

#include "Image.h"

#include <libavutil/pixfmt.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct layout {
    enum heif_chroma chroma;
    int bits;
};

/// What HEVC can be decoded to; `bits` is 0 for the rest. The components of GBR are those of HEVC in their order.
static struct layout layout_of(int format) {
    switch (format) {
    case AV_PIX_FMT_GRAY8: return (struct layout){heif_chroma_monochrome, 8};
    case AV_PIX_FMT_GRAY10: return (struct layout){heif_chroma_monochrome, 10};
    case AV_PIX_FMT_GRAY12: return (struct layout){heif_chroma_monochrome, 12};
    case AV_PIX_FMT_YUV420P:
    case AV_PIX_FMT_YUVJ420P: return (struct layout){heif_chroma_420, 8};
    case AV_PIX_FMT_YUV420P10: return (struct layout){heif_chroma_420, 10};
    case AV_PIX_FMT_YUV420P12: return (struct layout){heif_chroma_420, 12};
    case AV_PIX_FMT_YUV422P:
    case AV_PIX_FMT_YUVJ422P: return (struct layout){heif_chroma_422, 8};
    case AV_PIX_FMT_YUV422P10: return (struct layout){heif_chroma_422, 10};
    case AV_PIX_FMT_YUV422P12: return (struct layout){heif_chroma_422, 12};
    case AV_PIX_FMT_YUV444P:
    case AV_PIX_FMT_YUVJ444P:
    case AV_PIX_FMT_GBRP: return (struct layout){heif_chroma_444, 8};
    case AV_PIX_FMT_YUV444P10:
    case AV_PIX_FMT_GBRP10: return (struct layout){heif_chroma_444, 10};
    case AV_PIX_FMT_YUV444P12:
    case AV_PIX_FMT_GBRP12: return (struct layout){heif_chroma_444, 12};
    default: return (struct layout){heif_chroma_undefined, 0};
    }
}

static struct heif_error add_plane(
    struct heif_image *image, const AVFrame *frame, int component, enum heif_channel channel, struct layout layout
) {
    bool is_halved = component > 0 && layout.chroma != heif_chroma_444;
    int width = is_halved ? (frame->width + 1) / 2 : frame->width;
    int height = is_halved && layout.chroma == heif_chroma_420 ? (frame->height + 1) / 2 : frame->height;
    struct heif_error error = heif_image_add_plane(image, channel, width, height, layout.bits);
    if (error.code != heif_error_Ok) return error;
    int stride = 0;
    uint8_t *target = heif_image_get_plane(image, channel, &stride);
    size_t row = (size_t)width * (layout.bits > 8 ? 2 : 1);
    if (!target || !frame->data[component] || stride < 0 || (size_t)stride < row) {
        return (struct heif_error){
            heif_error_Decoder_plugin_error, heif_suberror_Unspecified, "a plane of the HEVC image is missing"};
    }
    for (int y = 0; y < height; y++)
        memcpy(target + (size_t)y * stride, frame->data[component] + (ptrdiff_t)y * frame->linesize[component], row);
    return error;
}

/// The code points of the stream (ITU-T H.273), which count where the file has none. libavcodec uses their numbers.
static void set_colors(struct heif_image *image, const AVFrame *frame) {
    struct heif_color_profile_nclx *profile = heif_nclx_color_profile_alloc();
    if (!profile) return;
    // Numbers that libheif does not know are refused by it and stay "unspecified".
    heif_nclx_color_profile_set_color_primaries(profile, (uint16_t)frame->color_primaries);
    heif_nclx_color_profile_set_transfer_characteristics(profile, (uint16_t)frame->color_trc);
    heif_nclx_color_profile_set_matrix_coefficients(profile, (uint16_t)frame->colorspace);
    profile->full_range_flag = frame->color_range == AVCOL_RANGE_JPEG;
    heif_image_set_nclx_color_profile(image, profile);
    heif_nclx_color_profile_free(profile);
}

struct heif_error chevc_make_image(const AVFrame *frame, struct heif_image **result) {
    static const enum heif_channel channels[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    struct layout layout = layout_of(frame->format);
    if (!layout.bits) {
        return (struct heif_error){
            heif_error_Unsupported_feature, heif_suberror_Unsupported_color_conversion, "a kind of HEVC without a use here"};
    }
    bool is_gray = layout.chroma == heif_chroma_monochrome;
    struct heif_image *image = NULL;
    struct heif_error error = heif_image_create(
        frame->width, frame->height, is_gray ? heif_colorspace_monochrome : heif_colorspace_YCbCr, layout.chroma, &image);
    for (int component = 0; component < (is_gray ? 1 : 3) && error.code == heif_error_Ok; component++)
        error = add_plane(image, frame, component, channels[component], layout);
    if (error.code != heif_error_Ok) {
        if (image) heif_image_release(image);
        return error;
    }
    set_colors(image, frame);
    *result = image;
    return error;
}

#endif
