#pragma once

#include <curl/curl.h>

// What Swift cannot say to libcurl: variadic setters and getters, a union, macros with casts. Names start with `cc_`.

// One setter for each class of argument of curl_easy_setopt.
CURLcode cc_set_long(CURL *handle, CURLoption option, long value);
CURLcode cc_set_offset(CURL *handle, CURLoption option, curl_off_t value);
CURLcode cc_set_string(CURL *handle, CURLoption option, const char *value);
CURLcode cc_set_pointer(CURL *handle, CURLoption option, void *value);

typedef size_t (*cc_data_function)(char *bytes, size_t size, size_t count, void *context);
CURLcode cc_set_write(CURL *handle, cc_data_function function, void *context);
CURLcode cc_set_header(CURL *handle, cc_data_function function, void *context);
CURLcode cc_set_read(CURL *handle, cc_data_function function, void *context);

typedef int (*cc_seek_function)(void *context, curl_off_t offset, int origin);
CURLcode cc_set_seek(CURL *handle, cc_seek_function function, void *context);

CURLcode cc_set_open_socket(CURL *handle, curl_opensocket_callback function, void *context);
CURLcode cc_set_before_request(CURL *handle, curl_prereq_callback function, void *context);

CURLcode cc_get_long(CURL *handle, CURLINFO info, long *value);
CURLcode cc_get_offset(CURL *handle, CURLINFO info, curl_off_t *value);
CURLcode cc_get_string(CURL *handle, CURLINFO info, const char **value);

CURLMcode cc_multi_set_long(CURLM *multi, CURLMoption option, long value);

/// Takes the next finished transfer off the queue of messages; 0 when there is none.
int cc_multi_next_done(CURLM *multi, CURL **handle, CURLcode *result);

extern const long cc_auth_basic;
extern const long cc_auth_digest;
extern const long cc_auth_ntlm;
extern const long cc_auth_any;
extern const size_t cc_write_pause;
extern const long cc_http_1_1;
extern const long cc_http_2_tls;
extern const long cc_tls_1_2;
