import Tintype

extension ProcessingOptions.Step {
    func apply(to bitmap: Bitmap) throws -> Bitmap {
        switch self {
        case .resize(let target): return try bitmap.resized(to: target)
        case .crop, .circle, .cornerRadius, .blur, .tint:
            throw ImagingError.processorFailed("this build has no such processing")
        }
    }
}
