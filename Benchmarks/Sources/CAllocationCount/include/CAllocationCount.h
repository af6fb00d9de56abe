#pragma once

#include <stdint.h>

/// How often this thread has called `malloc`, `calloc` or `posix_memalign` so far; always 0 where the C library
/// does not let them be wrapped.
uint64_t allocation_count(void);
