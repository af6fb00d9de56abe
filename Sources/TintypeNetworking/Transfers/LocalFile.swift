import TintypeBase

/// A file of this machine as a source. All calls block: run them on a worker thread.
package enum LocalFile {
    /// Modification time and size: a change of either means that the image may be another one.
    package struct Validator: Hashable, Sendable, CustomStringConvertible {
        package let modificationSeconds: Int
        package let modificationNanoseconds: Int
        package let byteCount: Int

        /// Short text for a cache key or an entity tag.
        package var description: String { "\(modificationSeconds).\(modificationNanoseconds)-\(byteCount)" }
    }

    /// - Throws: ``NetworkingError/ioFailed(path:errno:)``; directories, devices and pipes count as unreadable.
    package static func validator(path: String) throws(NetworkingError) -> Validator {
        var information = stat()
        guard PathText.withPath(path, { stat($0, &information) }) == 0 else {
            throw .ioFailed(path: path, errno: errno)
        }
        return try validator(information, path: path)
    }

    /// The whole file, and the validator of exactly these bytes.
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
        // Files of /proc and /sys say 0 and hold bytes all the same.
        let data = try contents(descriptor, expected: validator.byteCount, maximum: maximumByteCount, path: path)
        guard !data.isEmpty else { throw .emptyBody }
        return (data, validator)
    }

    private static func contents(
        _ descriptor: Int32, expected: Int, maximum: Int, path: String
    ) throws(NetworkingError) -> Data {
        // A sparse file can claim any size: only so much is believed at once.
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
