import TintypeBase

/// A local file as a source. All calls block: run them on a worker thread.
package enum LocalFile {
    /// The modification time and size of a file; a change of either means that the image may have changed.
    package struct Validator: Hashable, Sendable, CustomStringConvertible {
        package let modificationSeconds: Int
        package let modificationNanoseconds: Int
        package let byteCount: Int

        /// A short text for a cache key.
        package var description: String { "\(modificationSeconds).\(modificationNanoseconds)-\(byteCount)" }
    }

    /// Returns the validator of a file.
    ///
    /// - Throws: ``NetworkingError/ioFailed(path:errno:)``, also for directories, devices and pipes.
    package static func validator(path: String) throws(NetworkingError) -> Validator {
        var information = stat()
        guard PathText.withPath(path, { stat($0, &information) }) == 0 else {
            throw .ioFailed(path: path, errno: errno)
        }
        return try validator(information, path: path)
    }

    /// Returns the whole file and its validator.
    ///
    /// - Throws: ``NetworkingError/ioFailed(path:errno:)``, ``NetworkingError/bodyTooLarge(limit:)``,
    ///   ``NetworkingError/emptyBody``.
    package static func read(
        path: String, maximumByteCount: Int = 200 << 20
    ) throws(NetworkingError) -> (data: Data, validator: Validator) {
        // Without O_NONBLOCK opening a pipe would wait for a writer.
        let descriptor = PathText.withPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .ioFailed(path: path, errno: errno) }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw .ioFailed(path: path, errno: errno) }
        let validator = try validator(information, path: path)
        guard validator.byteCount <= maximumByteCount else { throw .bodyTooLarge(limit: maximumByteCount) }
        // Files of /proc and /sys report a size of 0.
        let data = try contents(descriptor, expected: validator.byteCount, maximum: maximumByteCount, path: path)
        guard !data.isEmpty else { throw .emptyBody }
        return (data, validator)
    }

    private static func contents(
        _ descriptor: Int32, expected: Int, maximum: Int, path: String
    ) throws(NetworkingError) -> Data {
        // A sparse file can report any size: at most 64 MiB are reserved at once.
        let buffer = ByteBuffer(reserving: min(expected, 64 << 20))
        while true {
            let count = buffer.appendUninitialized(atMost: min(max(4096, expected - buffer.count + 1), 64 << 20)) {
                space in
                readBytes(descriptor, space.baseAddress, space.count)
            }
            if count == 0 { return buffer.takeData() }
            if count < 0 {
                if errno == EINTR { continue }
                throw .ioFailed(path: path, errno: errno)
            }
            if buffer.count > maximum { throw .bodyTooLarge(limit: maximum) }
        }
    }

    private static func validator(_ information: stat, path: String) throws(NetworkingError) -> Validator {
        guard information.st_mode & S_IFMT == S_IFREG else {
            throw .ioFailed(path: path, errno: information.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
        #if canImport(Darwin)
            let time = information.st_mtimespec
        #else
            let time = information.st_mtim
        #endif
        return Validator(
            modificationSeconds: time.tv_sec, modificationNanoseconds: time.tv_nsec, byteCount: Int(information.st_size)
        )
    }
}

/// `read`, under a name that the functions of ``LocalFile`` do not hide.
private func readBytes(_ descriptor: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, base, count)
}
