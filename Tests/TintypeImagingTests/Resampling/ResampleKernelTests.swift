import Testing

@testable import TintypeImaging

/// Every form of the kernels against the floating-point reference.
@Suite struct ResampleKernelTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        var from: (Int, Int)
        var to: (Int, Int)
        var testDescription: String { "\(from.0)x\(from.1) to \(to.0)x\(to.1)" }
    }

    static let shapes: [Shape] = [
        Shape(from: (64, 48), to: (16, 12)),
        Shape(from: (101, 67), to: (37, 23)),
        Shape(from: (33, 35), to: (32, 34)),
        Shape(from: (37, 23), to: (101, 67)),
        Shape(from: (5, 3), to: (64, 48)),
        Shape(from: (1, 1), to: (9, 7)),
        Shape(from: (1, 50), to: (1, 7)),
        Shape(from: (50, 1), to: (7, 1)),
        Shape(from: (1, 40), to: (13, 90)),
        Shape(from: (3, 200), to: (40, 2)),
        Shape(from: (200, 3), to: (2, 40)),
        Shape(from: (640, 480), to: (7, 5)),
        Shape(from: (1600, 31), to: (7, 31)),
        Shape(from: (31, 1600), to: (31, 7)),
        Shape(from: (2, 2), to: (1, 1)),
        Shape(from: (2000, 20), to: (1, 1)),
        Shape(from: (7, 7), to: (7, 3)),
    ]

    static let filters = ResampleFilter.allCases.filter { $0 != .nearest }

    @Test("Each form is within one level of the reference on random pixels", arguments: shapes, filters)
    func random(shape: Shape, filter: ResampleFilter) throws {
        let bitmap = try TestImages.random(width: shape.from.0, height: shape.from.1)
        let plan = ResizePlan(
            source: bitmap.size, output: PixelSize(width: shape.to.0, height: shape.to.1), filter: filter)
        let reference = ReferenceResampler.resize(bitmap, plan: plan)
        var first: [UInt8]?
        for form in PixelKernelForm.available {
            let result = try bitmap.resized(by: plan, form: form)
            #expect(ReferenceResampler.greatestError(result, reference) <= 1, "\(form)")
            let bytes = result.pixelBytes
            #expect(bytes == first ?? bytes, "\(form) differs from the plain form")
            first = first ?? bytes
        }
    }

    @Test("A constant image stays constant, to the bit", arguments: shapes, filters)
    func constant(shape: Shape, filter: ResampleFilter) throws {
        for color: (UInt8, UInt8, UInt8, UInt8) in [(255, 255, 255, 255), (1, 2, 3, 4), (77, 128, 200, 201)] {
            let bitmap = try TestImages.constant(color, width: shape.from.0, height: shape.from.1)
            let plan = ResizePlan(
                source: bitmap.size, output: PixelSize(width: shape.to.0, height: shape.to.1), filter: filter)
            for form in PixelKernelForm.available {
                let bytes = try bitmap.resized(by: plan, form: form).pixelBytes
                let expected = [color.0, color.1, color.2, color.3]
                #expect(bytes.indices.allSatisfy { bytes[$0] == expected[$0 % 4] }, "\(form)")
            }
        }
    }
}
