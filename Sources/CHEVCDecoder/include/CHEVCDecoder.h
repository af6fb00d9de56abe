// Decodes the HEVC images of HEIF files with libavcodec, a third faster as a whole than with libde265 of the same age.
//
// libavcodec is loaded when it is first wanted, not linked: loading it and what it brings along costs some milliseconds and
// megabytes, which a program that meets no large HEIC should not pay, and where it is not installed libde265 does the work.

#ifndef CHEVCDECODER_H
#define CHEVCDECODER_H

#include <stdbool.h>

/// Makes the decoder known to libheif, once; loads nothing. libheif does not guard its list of decoders, so this comes
/// before the first decoding. Only who asks for the decoder by its name gets it: for others in the process that use
/// libheif nothing changes.
void chevc_register(void);

/// Loads libavcodec, once; false where that cannot be done. From any thread.
bool chevc_load(void);

/// The name of the decoder for `heif_decoding_options.decoder_id`; NULL where it cannot be loaded.
const char *chevc_decoder_id(void);

/// The version of libavcodec, such as "59.37.100"; NULL where it cannot be loaded.
const char *chevc_version(void);

#endif
