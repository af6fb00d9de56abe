#include "CCurlShim.h"

CURLcode cc_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode cc_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode cc_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode cc_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode cc_set_write(CURL *handle, cc_data_function function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

CURLcode cc_set_header(CURL *handle, cc_data_function function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

CURLcode cc_set_read(CURL *handle, cc_data_function function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_READDATA, context);
}

CURLcode cc_set_seek(CURL *handle, cc_seek_function function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
}

CURLcode cc_set_open_socket(CURL *handle, curl_opensocket_callback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}

CURLcode cc_set_before_request(CURL *handle, curl_prereq_callback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

CURLcode cc_get_long(CURL *handle, CURLINFO info, long *value) { return curl_easy_getinfo(handle, info, value); }

CURLcode cc_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLcode cc_get_string(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLMcode cc_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

int cc_multi_next_done(CURLM *multi, CURL **handle, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *handle = message->easy_handle;
        *result = message->data.result;
        return 1;
    }
    return 0;
}

const long cc_auth_basic = CURLAUTH_BASIC;
const long cc_auth_digest = CURLAUTH_DIGEST;
const long cc_auth_ntlm = CURLAUTH_NTLM;
const long cc_auth_any = CURLAUTH_BASIC | CURLAUTH_DIGEST | CURLAUTH_NTLM;
const size_t cc_write_pause = CURL_WRITEFUNC_PAUSE;
const long cc_http_1_1 = CURL_HTTP_VERSION_1_1;
const long cc_http_2_tls = CURL_HTTP_VERSION_2TLS;
const long cc_tls_1_2 = CURL_SSLVERSION_TLSv1_2;
