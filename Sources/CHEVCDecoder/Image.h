#ifndef CHEVC_IMAGE_H
#define CHEVC_IMAGE_H

#include <libavcodec/avcodec.h>
#include <libheif/heif.h>

/// No decoder of ours accepts more; what the caller's limits say is checked before, in the parameter sets.
#define CHEVC_MAXIMUM_PIXEL_COUNT (INT64_C(1) << 28)

/// Copies the planes of a frame, and what it says of its colours, into an image of libheif.
struct heif_error chevc_make_image(const AVFrame *frame, struct heif_image **result);

#endif
