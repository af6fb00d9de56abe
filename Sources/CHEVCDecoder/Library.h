#ifndef CHEVC_LIBRARY_H
#define CHEVC_LIBRARY_H

#if __has_include(<libavcodec/avcodec.h>)
#define CHEVC_IS_BUILT 1

#include <libavcodec/avcodec.h>
#include <stdbool.h>

/// The functions of libavcodec and libavutil that are used. Their structs are those of the headers, so only the major
/// versions of the headers are loaded.
struct chevc_library {
    unsigned (*avcodec_version)(void);
    const AVCodec *(*avcodec_find_decoder)(enum AVCodecID);
    AVCodecContext *(*avcodec_alloc_context3)(const AVCodec *);
    int (*avcodec_open2)(AVCodecContext *, const AVCodec *, AVDictionary **);
    void (*avcodec_free_context)(AVCodecContext **);
    int (*avcodec_send_packet)(AVCodecContext *, const AVPacket *);
    int (*avcodec_receive_frame)(AVCodecContext *, AVFrame *);
    AVPacket *(*av_packet_alloc)(void);
    void (*av_packet_free)(AVPacket **);
    AVFrame *(*av_frame_alloc)(void);
    void (*av_frame_free)(AVFrame **);
    void *(*av_mallocz)(size_t);
};

/// False when the libraries, or one of the functions, are not there.
bool chevc_open_library(struct chevc_library *library);

#endif
#endif
