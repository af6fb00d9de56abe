#define _GNU_SOURCE
#include "CSystemShim.h"

#include <pthread.h>

void ct_set_thread_name(const char *name) {
#if defined(__APPLE__)
    pthread_setname_np(name);
#else
    pthread_setname_np(pthread_self(), name);
#endif
}
