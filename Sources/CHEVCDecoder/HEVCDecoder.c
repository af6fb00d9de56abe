#include "CHEVCDecoder.h"
#include "Library.h"

#include <stddef.h>

#ifdef CHEVC_IS_BUILT

#include "Image.h"

#include <libheif/heif.h>
#include <libheif/heif_plugin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct chevc_library library;
static bool is_registered, is_loaded;
static char version[32];
static const char decoder_name[] = "tintype-libavcodec";

static const struct heif_error no_error = {heif_error_Ok, heif_suberror_Unspecified, "Success"};
static const struct heif_error no_memory = {
    heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory for an HEVC image"};

static struct heif_error failure(const char *message) {
    struct heif_error error = {heif_error_Decoder_plugin_error, heif_suberror_Unspecified, message};
    return error;
}

/// The parameter sets and the data of one image, each unit behind its length.
struct decoder {
    uint8_t *bytes;
    size_t count;
};

static const char *plugin_name(void) { return "libavcodec HEVC decoder"; }

// Lower than any other: it is chosen by its name.
static int does_support_format(enum heif_compression_format format) { return format == heif_compression_HEVC ? 1 : 0; }

static struct heif_error new_decoder(void **result) {
    *result = NULL;
    // Where libheif has no other decoder it takes this one unasked.
    if (!chevc_load()) return failure("libavcodec is not installed");
    *result = calloc(1, sizeof(struct decoder));
    return *result ? no_error : no_memory;
}

static void free_decoder(void *pointer) {
    struct decoder *decoder = pointer;
    if (!decoder) return;
    free(decoder->bytes);
    free(decoder);
}

/// Keeps the bytes as they come: libavcodec reads the lengths in them.
static struct heif_error push_data(void *pointer, const void *data, size_t size) {
    struct decoder *decoder = pointer;
    if (size > (size_t)INT32_MAX - AV_INPUT_BUFFER_PADDING_SIZE - decoder->count) return no_memory;
    uint8_t *bytes = realloc(decoder->bytes, decoder->count + size + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!bytes) return no_memory;
    memcpy(bytes + decoder->count, data, size);
    decoder->bytes = bytes;
    decoder->count += size;
    memset(bytes + decoder->count, 0, AV_INPUT_BUFFER_PADDING_SIZE);
    return no_error;
}

/// Tells libavcodec that units stand behind lengths of four bytes, as libheif passes them: a configuration record
/// (ISO/IEC 14496-15, §8.3.3) without parameter sets, which come with the data.
static int set_length_size(AVCodecContext *context) {
    enum { record_size = 23 };
    uint8_t *record = library.av_mallocz(record_size + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!record) return -1;
    record[0] = 1;   // version
    record[21] = 3;  // length size minus one
    context->extradata = record;
    context->extradata_size = record_size;
    return 0;
}

static struct heif_error decode(struct decoder *decoder, AVCodecContext *context, AVFrame *frame, AVPacket *packet) {
    packet->data = decoder->bytes;
    packet->size = (int)decoder->count;
    if (library.avcodec_send_packet(context, packet) < 0) return failure("libavcodec finds the HEVC data damaged");
    // No more follows: the image comes at once.
    library.avcodec_send_packet(context, NULL);
    if (library.avcodec_receive_frame(context, frame) < 0) return failure("the HEVC data holds no whole image");
    if (frame->flags & AV_FRAME_FLAG_CORRUPT || frame->decode_error_flags)
        return failure("libavcodec finds the HEVC image damaged");
    return no_error;
}

static struct heif_error decode_image(void *pointer, struct heif_image **result) {
    struct decoder *decoder = pointer;
    *result = NULL;
    if (!decoder->count) return failure("there is no HEVC data");
    const AVCodec *codec = library.avcodec_find_decoder(AV_CODEC_ID_HEVC);
    AVCodecContext *context = library.avcodec_alloc_context3(codec);
    AVFrame *frame = library.av_frame_alloc();
    AVPacket *packet = library.av_packet_alloc();
    struct heif_error error = no_memory;
    if (context && frame && packet && set_length_size(context) == 0) {
        // Threads are the business of who decodes many images, and of libheif, which decodes tiles side by side.
        context->thread_count = 1;
        // Damage is an error here, not something to be drawn over.
        context->err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER;
        context->max_pixels = CHEVC_MAXIMUM_PIXEL_COUNT;
        // What it would say to standard error comes back as an error too.
        context->log_level_offset = 1000;
        error = library.avcodec_open2(context, codec, NULL) < 0 ? failure("libavcodec does not open its HEVC decoder")
                                                                  : decode(decoder, context, frame, packet);
        if (error.code == heif_error_Ok) error = chevc_make_image(frame, result);
    }
    library.av_packet_free(&packet);
    library.av_frame_free(&frame);
    if (context) library.avcodec_free_context(&context);
    return error;
}

static void set_strict_decoding(void *pointer, int flag) {
    // It always is.
    (void)pointer;
    (void)flag;
}

static const struct heif_decoder_plugin plugin = {
    .plugin_api_version = 3,
    .get_plugin_name = plugin_name,
    .does_support_format = does_support_format,
    .new_decoder = new_decoder,
    .free_decoder = free_decoder,
    .push_data = push_data,
    .decode_image = decode_image,
    .set_strict_decoding = set_strict_decoding,
    .id_name = decoder_name,
};

static void register_plugin(void) { is_registered = heif_register_decoder_plugin(&plugin).code == heif_error_Ok; }

void chevc_register(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_plugin);
}

static void load(void) {
    if (!chevc_open_library(&library)) return;
    unsigned number = library.avcodec_version();
    snprintf(version, sizeof version, "%u.%u.%u", number >> 16, number >> 8 & 255, number & 255);
    is_loaded = true;
}

bool chevc_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

const char *chevc_decoder_id(void) { return is_registered && chevc_load() ? decoder_name : NULL; }
const char *chevc_version(void) { return chevc_load() ? version : NULL; }

#else

// Built without the headers of libavcodec.
void chevc_register(void) {}
bool chevc_load(void) { return false; }
const char *chevc_decoder_id(void) { return NULL; }
const char *chevc_version(void) { return NULL; }

#endif
