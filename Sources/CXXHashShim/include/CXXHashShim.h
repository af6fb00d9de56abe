#pragma once

#include <stddef.h>
#include <stdint.h>

/// XXH3 (64 bits, seed 0) with the best instruction set at run time where the library offers that.
uint64_t ct_xxh3(const void *bytes, size_t count);
