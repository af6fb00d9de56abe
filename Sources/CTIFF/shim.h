#pragma once
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tiffio.h>

// libtiff reads tags through variadic functions, reports errors through `va_list`, and before 4.5 has one handler for
// the whole process. Swift can do none of the three.

/// What libtiff said last about one file.
typedef struct {
    char message[200];
    int error_count;
    int warning_count;
} ta_tiff_report;

/// Where libtiff gets its bytes; the callbacks are those of TIFFClientOpen.
typedef struct {
    thandle_t context;
    TIFFReadWriteProc read;
    TIFFReadWriteProc write;
    TIFFSeekProc seek;
    TIFFCloseProc close;
    TIFFSizeProc size;
} ta_tiff_source;

#if TIFFLIB_VERSION >= 20221213
static inline int ta_tiff_error(TIFF *tiff, void *user, const char *module, const char *format, va_list values) {
    (void)tiff;
    (void)module;
    ta_tiff_report *report = (ta_tiff_report *)user;
    // The first error is the cause; what follows are its consequences.
    if (report->error_count++ == 0) vsnprintf(report->message, sizeof report->message, format, values);
    return 1;
}

static inline int ta_tiff_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list values) {
    (void)tiff;
    (void)module;
    (void)format;
    (void)values;
    ((ta_tiff_report *)user)->warning_count++;
    return 1;
}
#endif

/// Opens the first directory for reading. `report` must outlive the result. Null if that fails.
static inline TIFF *ta_tiff_open(const ta_tiff_source *source, ta_tiff_report *report, size_t largest_allocation) {
    // "m": no memory map, so that every read can be watched.
    const char *mode = "rm";
#if TIFFLIB_VERSION >= 20221213
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, ta_tiff_error, report);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ta_tiff_warning, report);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)largest_allocation);
    TIFF *tiff = TIFFClientOpenExt("", mode, source->context, source->read, source->write, source->seek,
                                   source->close, source->size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
#else
    (void)largest_allocation;
    (void)report;
    // The handlers print to stderr by default.
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    return TIFFClientOpen("", mode, source->context, source->read, source->write, source->seek, source->close,
                          source->size, NULL, NULL);
#endif
}

/// Has libtiff convert YCbCr with the weights of BT.601, whatever the file's tag says. Nothing is written: the file is
/// open for reading only.
static inline void ta_tiff_use_bt601(TIFF *tiff) {
    const float weights[3] = {0.299f, 0.587f, 0.114f};
    TIFFSetField(tiff, TIFFTAG_YCBCRCOEFFICIENTS, weights);
}

/// A 16-bit tag, or `missing`.
static inline uint16_t ta_tiff_u16(TIFF *tiff, uint32_t tag, uint16_t missing) {
    uint16_t value = missing;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : missing;
}

/// A 32-bit tag, or `missing`.
static inline uint32_t ta_tiff_u32(TIFF *tiff, uint32_t tag, uint32_t missing) {
    uint32_t value = missing;
    return TIFFGetField(tiff, tag, &value) ? value : missing;
}

/// The ICC profile, or null. Belongs to `tiff`.
static inline const void *ta_tiff_profile(TIFF *tiff, uint32_t *count) {
    void *bytes = NULL;
    return TIFFGetField(tiff, TIFFTAG_ICCPROFILE, count, &bytes) ? bytes : NULL;
}

/// What the first sample beyond the colours is: 0 unspecified, 1 associated alpha, 2 unassociated alpha; -1 if the tag
/// is missing.
static inline int ta_tiff_extra_sample(TIFF *tiff) {
    uint16_t count = 0;
    uint16_t *kinds = NULL;
    if (!TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) || count == 0 || !kinds) return -1;
    return kinds[0];
}

/// The palette's three columns of 16-bit values; 0 if there is none.
static inline int ta_tiff_palette(
    TIFF *tiff, const uint16_t **red, const uint16_t **green, const uint16_t **blue) {
    uint16_t *r = NULL, *g = NULL, *b = NULL;
    if (!TIFFGetField(tiff, TIFFTAG_COLORMAP, &r, &g, &b) || !r || !g || !b) return 0;
    *red = r;
    *green = g;
    *blue = b;
    return 1;
}
