#if JXL
    import CJXL

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Bounds the work that layers cause, from their headers alone.
    ///
    /// Layers are blended onto the whole canvas: a layer of one pixel costs as much time and memory as the image. libjxl
    /// reports layers that replace a stored frame and are never shown, but not the frames that hold patches.
    final class JXLLayers {
        private let session: JXLSession
        private let limits: DecodeLimits
        private(set) var count = 0
        private(set) var frameCount = 0
        private var pixelCount = 0
        private var countInFrame = 0
        private var pixelCountInFrame = 0

        init(_ data: Data, limits: DecodeLimits) throws {
            session = try JXLSession(data, events: [JXL_DEC_FRAME], limits: limits, mergesLayers: false)
            self.limits = limits
        }

        func append(_ data: Data) { session.append(data) }

        /// Reads the headers of the layers that make up the frames up to `lastFrame`, as far as there are bytes.
        ///
        /// - Throws: `tooCostly` or `imageTooLarge` for layers of one frame that have more pixels than an image may, and
        ///   for frames that have more together than an animation may.
        func check(through lastFrame: Int = .max) throws {
            while frameCount <= lastFrame, try hasNext() {
                let layer = session.layer()
                let area = max(layer.pixelCount, session.header?.size.area ?? 0)
                count += 1
                countInFrame += 1
                pixelCountInFrame = pixelCountInFrame.addingReportingOverflow(area).partialValue
                pixelCount = pixelCount.addingReportingOverflow(area).partialValue
                guard pixelCountInFrame <= limits.maximumPixelCount else {
                    throw ImagingError.tooCostly(
                        .jxl, "its layers have more than \(limits.maximumPixelCount) pixels together")
                }
                if countInFrame > 1 { try session.header?.checkMemory(isLayered: true) }
                // An animation of plain frames is played frame by frame; code that reads all frames checks that.
                let isBounded = lastFrame < .max || count > frameCount + 1
                guard !isBounded || pixelCount <= limits.maximumAnimationPixelCount else {
                    throw ImagingError.tooCostly(
                        .jxl, "its layers have more than \(limits.maximumAnimationPixelCount) pixels together")
                }
                guard layer.endsFrame else { continue }
                frameCount += 1
                (pixelCountInFrame, countInFrame) = (0, 0)
            }
        }

        /// Damage is found when the image is decoded.
        private func hasNext() throws -> Bool {
            do {
                return try session.advance() == JXL_DEC_FRAME
            } catch is ImagingError {
                return false
            }
        }
    }
#endif
