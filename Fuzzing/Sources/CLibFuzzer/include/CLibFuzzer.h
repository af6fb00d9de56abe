#pragma once
#include <stddef.h>
#include <stdint.h>

/// libFuzzer's driver as a function (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
