import CSystemShim

/// Keys that are strings lie in areas of their own, one for each slot, as plain bytes: comparing them does not follow a
/// pointer to a place that is in no cache, and setting and evicting do not count references. Strings that are not all
/// ASCII or do not fit stay strings, in the payload, and so do keys of other types.
extension CacheStorage {
    @inlinable static var keyAreaStride: Int { CT_KEPT_KEY_AREA }

    static func allocateKeyAreas(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
        guard Key.self == String.self else { return nil }
        return allocate(byteCount: count * keyAreaStride, alignment: 64)
            .bindMemory(to: UInt8.self, capacity: count * keyAreaStride)
    }

    /// Nil when the key of the slot is in its payload.
    @inlinable @inline(__always)
    func keyArea(_ slot: Int32) -> UnsafeMutablePointer<UInt8>? {
        guard let keyAreas else { return nil }
        let area = keyAreas + Int(slot) &* Self.keyAreaStride
        return area[0] == 0 ? nil : area
    }

    @inlinable @inline(__always)
    func keep(_ key: Key, _ value: Value, in slot: Int32) {
        if Key.self == String.self, let keyAreas {
            let area = keyAreas + Int(slot) &* Self.keyAreaStride
            let isKept = unsafeBitCast(key, to: String.self).utf8.withContiguousStorageIfAvailable {
                ct_keep_key(area, $0.baseAddress, $0.count)
            }
            if isKept == true {
                payload(slot).initialize(to: Payload(key: unsafeBitCast("", to: Key.self), value: value))
                return
            }
            area[0] = 0
        }
        payload(slot).initialize(to: Payload(key: key, value: value))
    }

    /// Moves the contents out of a slot. With `keepingKey` false the key may be another one.
    @inlinable @inline(__always)
    func take(_ slot: Int32, keepingKey: Bool) -> Payload {
        let key = keepingKey ? keptKey(slot) : nil
        var payload = self.payload(slot).move()
        if let key { payload.key = key }
        return payload
    }

    @usableFromInline
    func key(_ slot: Int32) -> Key { keptKey(slot) ?? payload(slot).pointee.key }

    @usableFromInline
    func keptKey(_ slot: Int32) -> Key? {
        guard Key.self == String.self, let area = keyArea(slot) else { return nil }
        let bytes = UnsafeBufferPointer(start: UnsafePointer(area) + 1, count: Int(area[0]))
        return unsafeBitCast(String(decoding: bytes, as: UTF8.self), to: Key.self)
    }

    /// Whether two keys with the same hash are the same.
    @inlinable @inline(__always)
    func isKey(of slot: Int32, _ key: Key) -> Bool {
        guard Key.self == String.self, let area = keyArea(slot) else {
            return KeyHash.areEqual(payload(slot).pointee.key, key)
        }
        let isSame = unsafeBitCast(key, to: String.self).utf8.withContiguousStorageIfAvailable {
            ct_is_kept_key(area, $0.baseAddress, $0.count)
        }
        // Strings are equal when they are canonically equivalent, which other bytes can be too.
        return isSame == true || self.key(slot) == key
    }
}
