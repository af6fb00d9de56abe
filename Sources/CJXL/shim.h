#pragma once
#include <jxl/decode.h>
#include <jxl/encode.h>
#if __has_include(<jxl/version.h>)
#include <jxl/version.h>
#endif

// The functions that read colour profiles lost a parameter in libjxl 0.9.
#if defined(JPEGXL_NUMERIC_VERSION) && JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define TA_UNUSED_FORMAT
#else
#define TA_UNUSED_FORMAT NULL,
#endif

static inline JxlDecoderStatus ta_jxl_encoding(
    const JxlDecoder *decoder, JxlColorProfileTarget target, JxlColorEncoding *encoding) {
    return JxlDecoderGetColorAsEncodedProfile(decoder, TA_UNUSED_FORMAT target, encoding);
}

static inline JxlDecoderStatus ta_jxl_profile_size(
    const JxlDecoder *decoder, JxlColorProfileTarget target, size_t *size) {
    return JxlDecoderGetICCProfileSize(decoder, TA_UNUSED_FORMAT target, size);
}

static inline JxlDecoderStatus ta_jxl_profile(
    const JxlDecoder *decoder, JxlColorProfileTarget target, uint8_t *profile, size_t size) {
    return JxlDecoderGetColorAsICCProfile(decoder, TA_UNUSED_FORMAT target, profile, size);
}
