import TintypeBase

/// The folders of an application by the XDG Base Directory Specification (0.8) and `user-dirs.dirs`.
///
/// Reading a property creates no folder. A variable that is empty or not an absolute path counts as unset, as the
/// specification demands.
public enum AppDirectories {
    /// A kind of folder.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// Files of the user.
        case documents
        /// Files that can be created again. The system may remove them at any time; the application must limit them.
        case caches
        /// Files that are not needed after the process ends.
        case temporary
        /// Settings. For most of them `UserDefaults` is the better place.
        case preferences
        /// Files that the application needs and the user does not see.
        case applicationSupport
    }

    /// `XDG_DOCUMENTS_DIR` (environment, then `user-dirs.dirs`), else `~/Documents`.
    public static var documents: URL { url(.documents) }
    /// `$XDG_CACHE_HOME`, else `~/.cache`.
    public static var caches: URL { url(.caches) }
    /// `$TMPDIR`, else `/tmp`.
    public static var temporary: URL { url(.temporary) }
    /// `$XDG_CONFIG_HOME`, else `~/.config`.
    public static var preferences: URL { url(.preferences) }
    /// `$XDG_DATA_HOME`, else `~/.local/share`.
    public static var applicationSupport: URL { url(.applicationSupport) }

    /// Returns a folder, or its part for one application.
    ///
    /// - Parameter kind: The kind of folder.
    /// - Parameter application: An identifier such as `org.example.Gallery`, which becomes one path component. Nil: the
    ///   folder that all applications share.
    public static func url(_ kind: Kind, application: String? = nil) -> URL {
        let path = path(kind, environment: environmentVariable)
        guard let application else { return URL(fileURLWithPath: path, isDirectory: true) }
        return URL(fileURLWithPath: path + "/" + SafeFileName.encode(application), isDirectory: true)
    }

    /// Returns the file for any name or URL: one path component that no other name has.
    ///
    /// Letters, digits, dots, dashes and underscores stay, all other bytes are percent-encoded, so "a/x.png" and "b/x.png"
    /// are two files and "../x" stays in the folder. The middle of a long name is replaced by a digest.
    public static func fileURL(in kind: Kind, for name: String, application: String? = nil) -> URL {
        let folder = url(kind, application: application).path
        return URL(fileURLWithPath: folder + "/" + SafeFileName.encode(name), isDirectory: false)
    }

    static func path(_ kind: Kind, environment: (String) -> String?) -> String {
        func absolute(_ variable: String) -> String? {
            environment(variable).flatMap { $0.hasPrefix("/") ? withoutTrailingSlash($0) : nil }
        }
        let home = absolute("HOME") ?? passwordHome ?? "/"
        let configuration = absolute("XDG_CONFIG_HOME") ?? home + "/.config"
        switch kind {
        case .caches: return absolute("XDG_CACHE_HOME") ?? home + "/.cache"
        case .preferences: return configuration
        case .applicationSupport: return absolute("XDG_DATA_HOME") ?? home + "/.local/share"
        case .temporary: return absolute("TMPDIR") ?? "/tmp"
        case .documents:
            if let path = absolute("XDG_DOCUMENTS_DIR") { return path }
            let file = MemoryFacts().text(configuration + "/user-dirs.dirs") ?? ""
            return UserDirectories.path(of: "XDG_DOCUMENTS_DIR", in: file, home: home) ?? home + "/Documents"
        }
    }

    private static func environmentVariable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func withoutTrailingSlash(_ path: String) -> String {
        path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    private static var passwordHome: String? {
        guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return nil }
        return String(cString: directory)
    }
}

/// The file of xdg-user-dirs: shell assignments `XDG_DOCUMENTS_DIR="$HOME/Documents"`.
enum UserDirectories {
    static func path(of name: String, in text: String, home: String) -> String? {
        var found: String?
        for line in text.split(separator: "\n") {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard line.hasPrefix(name) else { continue }
            let rest = line.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }
            guard rest.first == "=" else { continue }
            let quoted = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            guard quoted.first == "\"", let value = unquoted(quoted.dropFirst()) else { continue }
            if value == "$HOME" || value == "$HOME/" {
                // The kind is switched off: xdg-user-dirs says so by naming the home folder itself.
                found = home
            } else if value.hasPrefix("$HOME/") {
                found = home + value.dropFirst(5)
            } else if value.hasPrefix("/") {
                found = String(value)
            }
        }
        return found
    }

    /// Up to the closing quote, with backslash escapes resolved; nil without one.
    private static func unquoted(_ text: Substring) -> String? {
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                result.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return result.count > 1 && result.hasSuffix("/") && result != "$HOME/"
                    ? String(result.dropLast()) : result
            } else {
                result.append(character)
            }
        }
        return nil
    }
}

/// An encoding of any text as one path component, which is different for each text.
enum SafeFileName {
    /// NAME_MAX is 255 bytes; some file systems (ecryptfs) allow 143.
    static let longest = 140

    static func encode(_ text: String) -> String {
        // "%" alone is not an escape, so nothing else is encoded like this.
        if text.isEmpty { return "%" }
        var name: [UInt8] = []
        for (index, byte) in text.utf8.enumerated() {
            let isPlain = isAlphanumeric(byte) || "-_".utf8.contains(byte) || (byte == UInt8(ascii: ".") && index > 0)
            if isPlain { name.append(byte) } else { name += ("%" + hexadecimal([byte]).uppercased()).utf8 }
        }
        if name.count <= longest { return String(decoding: name, as: UTF8.self) }
        // "~" is always escaped above, so a shortened name is no other text's full one.
        // Without a digest the name stays too long: an error of the file system is better than a collision.
        guard let digest = KeyDigest("SHA256")?.name(for: text)?.hexadecimal else {
            return String(decoding: name, as: UTF8.self)
        }
        var extensionBytes: [UInt8] = []
        if let dot = name.lastIndex(of: UInt8(ascii: ".")), name.count - dot <= 11 {
            extensionBytes = Array(name[dot...])
        }
        return String(decoding: name.prefix(longest - 41 - extensionBytes.count), as: UTF8.self) + "~" + digest
            + String(decoding: extensionBytes, as: UTF8.self)
    }
}
