import CPixelKernels

/// The loops of `CPixelKernels` in the fastest form that this CPU runs.
let pixelKernels: ck_pixel_kernels = ck_pixel_kernels_best().pointee

/// The instruction set that pixel kernels use.
package enum PixelKernelForm: UInt32, Sendable, CaseIterable {
    case plain = 0
    case sse2 = 1
    case avx2 = 2
    case neon = 3

    /// The fastest form of this machine.
    package static let best = PixelKernelForm(rawValue: ck_best_form().rawValue) ?? .plain

    /// The forms that run on this machine, the plain one first.
    package static let available = allCases.filter { ck_has_form($0.kernelForm) != 0 }

    var kernelForm: ck_form { ck_form(rawValue: rawValue) }
}
