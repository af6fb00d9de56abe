import Foundation

@testable import TintypeImaging

/// JPEG files of a few hundred bytes that need another encoder than ours, and surgery on files.
enum JPEGFixtures {
    // Made anew each time: the search for leaks does not understand how a global `Data` holds its bytes.
    private static func decoded(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }

    /// 16x16, CMYK, all cyan, with Adobe's marker (transform 0).
    static var cyanCMYK: Data {
        decoded(
            "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwADAgIDAgIDAwMDBAMDBAUIBQUEBAUKBwcGCAwKDAwLCgsLDQ4SEA0OEQ4LCxAWEBETFBUVFQwPFxgWFBgS"
                + "FBUU/8AAFAgAEAAQBEMRAE0RAFkRAEsRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAAJ/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAA4EQwBNAFkASwAAPwCV"
                + "SqaqaqYAAAD/2Q==")
    }

    /// 16x16, YCCK (transform 2), made from RGB (200, 40, 90) on the left and (30, 160, 220) on the right.
    static var ycck: Data {
        decoded(
            "/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwACAQEBAQECAQEBAgICAgIEAwICAgIFBAQDBAYFBgYGBQYGBgcJCAYHCQcGBggLCAkKCgoKCgYICwwLCgwJCgoK"
                + "/9sAQwECAgICAgIFAwMFCgcGBwoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoK/8AAFAgAEAAQBAERAAIRAQMR"
                + "AQQRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAgACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAXAQADAQAAAAAAAAAAAAAAAAAECAoJ/8QAFBEBAAAAAAAA"
                + "AAAAAAAAAAAAAP/aAA4EAQACEQMRBAAAPwBCCGZ7fwdyTqSERB2E26Hck6khP//Z")
    }

    /// Like `cyanCMYK` with a profile in which cyan ink prints (15, 0, 255).
    static var profiledCMYK: Data {
        decoded(
            "/9j/7gAOQWRvYmUAZAAAAAAA/+IBUElDQ19QUk9GSUxFAAEBAAABQGxjbXMCEAAAcHJ0ckNNWUtMYWIgB+oACwAeAAIAMwA1YWNzcEFQUEwAAAAAAAAA"
                + "AAAAAAAAAAAAAAAAAAAAAAAAAPbWAAEAAAAA0y1sY21zAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABQTJCMAAA"
                + "AJAAAACwbWZ0MgAAAAAEAwIAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAIAAgAA//8AAP//AAD//wAA/////4CAgIAAAICAgID5"
                + "33Cx3kIAAICAgIBLsMUOEAgAAICAgIAAAICAgIAAAICAgIBLsMUOEAgAAICAgIAAAICAgIAAAICAgIBLsMUOEAgAAICAgIAAAICAgIAAAICAgIAAAP//"
                + "AAD//wAA////2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/wAAUCAAQABAE"
                + "QxEATREAWREASxEA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAn/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oADgRDAE0AWQBLAAA/AJVKpqpqpgAAAP/Z"
        )
    }

    static func encoded(_ bitmap: Bitmap, quality: Int = 95, effort: Int? = nil) throws -> Data {
        var options = EncodeOptions()
        options.quality = quality
        options.effort = effort
        return try JPEGEncoder().encode(bitmap, options: options)
    }

    /// Puts a segment right behind the start marker.
    static func inserting(_ marker: UInt8, _ contents: [UInt8], into data: Data) -> Data {
        let length = contents.count + 2
        var result = data.prefix(2)
        result += [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + contents
        return Data(result + data.dropFirst(2))
    }

    static func withExif(_ block: Data, _ data: Data) -> Data {
        inserting(0xE1, Array("Exif\0\0".utf8) + block, into: data)
    }

    /// The file in the given number of APP2 segments, the last one first.
    static func withProfile(_ profile: Data, parts: Int, _ data: Data) -> Data {
        let length = (profile.count + parts - 1) / parts
        var result = data
        for part in 0..<parts {
            let piece = profile.dropFirst(part * length).prefix(length)
            result = inserting(
                0xE2, Array("ICC_PROFILE\0".utf8) + [UInt8(part + 1), UInt8(parts)] + piece, into: result)
        }
        return result
    }

    /// Offsets of the start-of-scan markers.
    static func scanOffsets(_ data: Data) -> [Int] {
        (0..<data.count - 1).filter { data[$0] == 0xFF && data[$0 + 1] == 0xDA }
    }
}
