#include "CAllocationCount.h"

#include <errno.h>
#include <stddef.h>

#if defined(__GLIBC__)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local uint64_t count;

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count++;
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

uint64_t allocation_count(void) { return count; }
#else
uint64_t allocation_count(void) { return 0; }
#endif
