import CGTK
import Foundation
import Synchronization

/// Hears every message of GLib, GObject and GTK. Warnings and worse are faults.
enum LogWatch {
    private static let messages = Mutex<[String]>([])
    private static let installed: Void = {
        g_log_set_writer_func(
            { level, fields, count, _ in
                guard
                    level.rawValue
                        & (G_LOG_LEVEL_WARNING.rawValue | G_LOG_LEVEL_CRITICAL.rawValue
                            | G_LOG_LEVEL_ERROR.rawValue) != 0
                else { return G_LOG_WRITER_HANDLED }
                var parts: [String: String] = [:]
                for field in UnsafeBufferPointer(start: fields, count: Int(count)) {
                    guard let key = field.key, let value = field.value, field.length < 0 else { continue }
                    parts[String(cString: key)] = String(cString: value.assumingMemoryBound(to: CChar.self))
                }
                let text = "\(parts["GLIB_DOMAIN"] ?? "?"): \(parts["MESSAGE"] ?? "")"
                LogWatch.messages.withLock { $0.append(text) }
                FileHandle.standardError.write(Data("glib: \(text)\n".utf8))
                return G_LOG_WRITER_HANDLED
            }, nil, nil)
    }()

    static func install() { _ = installed }

    /// The warnings since the last call.
    static func take() -> [String] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
