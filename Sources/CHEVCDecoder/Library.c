#include "Library.h"

#ifdef CHEVC_IS_BUILT

#include <dlfcn.h>
#include <stddef.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#ifdef __APPLE__
#define NAME(library, version) "lib" library "." TEXT(version) ".dylib"
#else
#define NAME(library, version) "lib" library ".so." TEXT(version)
#endif

bool chevc_open_library(struct chevc_library *library) {
    // Never closed: libheif keeps the decoder until the process ends.
    void *codec = dlopen(NAME("avcodec", LIBAVCODEC_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
    void *util = codec ? dlopen(NAME("avutil", LIBAVUTIL_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!util) return false;
    bool is_whole = true;
#define FIND(from, name) is_whole = ((*(void **)&library->name = dlsym(from, #name)) != NULL) && is_whole
    FIND(codec, avcodec_version);
    FIND(codec, avcodec_find_decoder);
    FIND(codec, avcodec_alloc_context3);
    FIND(codec, avcodec_open2);
    FIND(codec, avcodec_free_context);
    FIND(codec, avcodec_send_packet);
    FIND(codec, avcodec_receive_frame);
    FIND(codec, av_packet_alloc);
    FIND(codec, av_packet_free);
    FIND(util, av_frame_alloc);
    FIND(util, av_frame_free);
    FIND(util, av_mallocz);
#undef FIND
    return is_whole && library->avcodec_version() >> 16 == LIBAVCODEC_VERSION_MAJOR
        && library->avcodec_find_decoder(AV_CODEC_ID_HEVC) != NULL;
}

#endif
