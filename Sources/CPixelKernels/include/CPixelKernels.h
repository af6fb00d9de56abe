#pragma once

// Pixel loops that need the best instruction set of the machine they run on. Each family has a header of its own
// here, and one .c file; names start with `ck_`. A family is a table of functions for each form, chosen once:
// nothing global is written, so that tests can run every form side by side.

#include "CPUForm.h"
#include "ColorKernels.h"
#include "PixelConversion.h"
#include "ResampleKernels.h"
#include "RotateKernel.h"
