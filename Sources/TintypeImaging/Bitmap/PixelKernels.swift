import CPixelKernels

/// The loops of `CPixelKernels` in the fastest form that this CPU runs.
let pixelKernels: ck_pixel_kernels = ck_pixel_kernels_best().pointee
