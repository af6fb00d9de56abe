#include "CXXHashShim.h"

#include <xxhash.h>

// x86 builds of the library have a form that picks AVX2 or AVX-512 at run time; its header is not always installed.
XXH64_hash_t XXH3_64bits_dispatch(const void *bytes, size_t count) __attribute__((weak));

uint64_t ct_xxh3(const void *bytes, size_t count) {
    if (XXH3_64bits_dispatch) { return XXH3_64bits_dispatch(bytes, count); }
    return XXH3_64bits(bytes, count);
}
