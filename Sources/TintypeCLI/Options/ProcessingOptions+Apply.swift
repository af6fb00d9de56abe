import Tintype

extension ProcessingOptions.Step {
    func apply(to bitmap: Bitmap) throws -> Bitmap {
        throw ImagingError.processorFailed("this build has no such processing")
    }
}
