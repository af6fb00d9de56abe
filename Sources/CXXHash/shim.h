#pragma once
#include <xxhash.h>

// x86 builds of the library choose AVX2 or AVX-512 at run time in this function; its own header is not always installed.
XXH64_hash_t XXH3_64bits_dispatch(const void *bytes, size_t count) __attribute__((weak));

/// XXH3 (64 bits, seed 0) with the best instruction set that the library offers.
static inline uint64_t ct_xxh3(const void *bytes, size_t count) {
    return XXH3_64bits_dispatch ? XXH3_64bits_dispatch(bytes, count) : XXH3_64bits(bytes, count);
}
