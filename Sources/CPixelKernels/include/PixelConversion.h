#pragma once

#include <stddef.h>
#include <stdint.h>

#include "CPUForm.h"

// Loops that turn decoded samples into premultiplied RGBA8 and back, each in several forms. The forms give equal
// bytes; the tests compare every one with plain Swift. "RGBA" is always 4 bytes a pixel in this order.

typedef struct {
    /// Straight to premultiplied, rounded to nearest. `dst` may be `src`. Returns the AND of all alphas: 255 if opaque.
    uint8_t (*_Nonnull premultiply)(uint8_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels);
    /// Premultiplied to straight, rounded to nearest; colour of alpha 0 becomes 0. `dst` may be `src`.
    void (*_Nonnull unpremultiply)(uint8_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels);
    /// RGB8 to opaque RGBA8.
    void (*_Nonnull expand_rgb)(uint8_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels);
    /// Grey8 to opaque RGBA8.
    void (*_Nonnull expand_gray)(uint8_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels);
    /// RGBA8 to RGB8.
    void (*_Nonnull drop_alpha)(uint8_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels);
    /// Undoes a PNG row filter (PNG spec 9.2; 1 Sub, 2 Up, 3 Average, 4 Paeth) in place. `previous` is the row above,
    /// unfiltered. `bytes` is a multiple of `stride`, the bytes of one pixel (1, 2, 3, 4, 6 or 8).
    /// Both rows must be readable for 8 bytes past their end.
    void (*_Nonnull png_unfilter)(
        uint8_t *_Nonnull row, const uint8_t *_Nonnull previous, size_t bytes, unsigned stride, unsigned filter);
    /// Applies filter `filter` (1...4) and returns the sum of the absolute values of the result read as int8.
    /// `row` and `previous` must have `stride` zero bytes in front.
    uint64_t (*_Nonnull png_filter)(
        uint8_t *_Nonnull dst, const uint8_t *_Nonnull row, const uint8_t *_Nonnull previous, size_t bytes,
        unsigned stride, unsigned filter);
} ck_pixel_kernels;

/// The fastest form that this CPU runs.
const ck_pixel_kernels *_Nonnull ck_pixel_kernels_best(void);
/// One form, or null if it is not built or this CPU does not run it.
const ck_pixel_kernels *_Nullable ck_pixel_kernels_form(ck_form form);

// Without special forms: the compiler vectorises them, or they are rare.

/// Palette indices of `depth` bits (1, 2, 4, 8), most significant first, to RGBA through a table of 256 pixels.
void ck_expand_palette(
    uint8_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels, unsigned depth,
    const uint32_t *_Nonnull table);
/// Grey8 + alpha8 to straight RGBA8.
void ck_expand_gray_alpha(uint8_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels);
/// Big-endian 16-bit samples (`channels` 1...4) to straight RGBA8, rounded to nearest. `key` is the transparent
/// colour of one or three samples, or null.
void ck_expand_16(
    uint8_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels, unsigned channels,
    const uint16_t *_Nullable key);
/// The same to straight RGBA16 in the CPU's byte order.
void ck_expand_16_wide(
    uint16_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels, unsigned channels,
    const uint16_t *_Nullable key);
/// RGB8 to RGBA8 where pixels equal to the key become transparent.
void ck_expand_rgb_key(
    uint8_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels, const uint8_t *_Nonnull key);
/// Planes of red, green and blue, 8 bits each, to opaque RGBA8.
void ck_interleave_rgb(
    uint8_t *_Nonnull dst, const uint8_t *_Nonnull red, const uint8_t *_Nonnull green, const uint8_t *_Nonnull blue,
    size_t pixels);
/// CMYK8 to opaque RGBA8 by R = (255-C)(255-K)/255. `inverted`: the samples are stored as 255 minus the ink.
void ck_cmyk_to_rgba(uint8_t *_Nonnull dst, const uint8_t *_Nonnull src, size_t pixels, int inverted);
/// Straight or premultiplied RGBA over a colour: dst = src + background * (255 - alpha); opaque RGBA out.
void ck_flatten(
    uint8_t *_Nonnull dst, const uint8_t *_Nonnull premultiplied, size_t pixels, uint8_t red, uint8_t green,
    uint8_t blue);
/// Turns an image of 32-bit pixels as the EXIF orientation 1...8 says. `dst` has the turned size.
void ck_orient(
    uint8_t *_Nonnull dst, size_t dst_bytes_per_row, const uint8_t *_Nonnull src, size_t src_bytes_per_row,
    size_t width, size_t height, int orientation);
