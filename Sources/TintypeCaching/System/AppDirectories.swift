#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folders of an application by the XDG Base Directory Specification (0.8) and `user-dirs.dirs`.
///
/// None of them is created by asking for it. A variable that is unset, empty or not an absolute path counts as unset,
/// as the specification demands.
public enum AppDirectories {
    /// For what can be made again: `$XDG_CACHE_HOME`, else `~/.cache`. May be emptied by anybody at any time.
    public static var caches: URL { directory("XDG_CACHE_HOME", else: ".cache") }
    /// For what the application needs and the user does not see: `$XDG_DATA_HOME`, else `~/.local/share`.
    public static var applicationSupport: URL { directory("XDG_DATA_HOME", else: ".local/share") }
    /// For settings: `$XDG_CONFIG_HOME`, else `~/.config`.
    public static var preferences: URL { directory("XDG_CONFIG_HOME", else: ".config") }
    /// For files that need not outlive the process: `$TMPDIR`, else `/tmp`.
    public static var temporary: URL {
        URL(fileURLWithPath: absolutePath(in: "TMPDIR") ?? "/tmp", isDirectory: true)
    }

    static var home: String {
        absolutePath(in: "HOME") ?? passwordHome ?? "/"
    }

    private static var passwordHome: String? {
        guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return nil }
        return String(cString: directory)
    }

    static func absolutePath(in variable: String) -> String? {
        guard let value = getenv(variable) else { return nil }
        let path = String(cString: value)
        return path.hasPrefix("/") ? path : nil
    }

    private static func directory(_ variable: String, else fallback: String) -> URL {
        URL(fileURLWithPath: absolutePath(in: variable) ?? home + "/" + fallback, isDirectory: true)
    }
}
