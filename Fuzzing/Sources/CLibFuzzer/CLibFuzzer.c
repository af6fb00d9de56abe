#include "CLibFuzzer.h"

// The archive's own main refers to this; ours calls the driver with another callback, so it never runs.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)data;
    (void)size;
    return 0;
}
