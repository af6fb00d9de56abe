/// `tintype manual`: prints the manual page, in the format of man(7).
enum ManualCommand {
    static let specification = CommandSpecification(
        name: "manual", summary: "Print the manual page", operands: "",
        discussion: "The page is generated from the table of options.", options: [],
        examples: [.init(line: "tintype manual | man -l -", explanation: "Read it without installation")],
        run: { call in
            call.console.write(page(), to: call.console.output)
            return .success
        })

    static func page() -> String {
        var lines = [
            ".TH TINTYPE 1 \"\" \"tintype \(VersionReport.version)\" \"User Commands\"",
            ".SH NAME", "tintype \\- load, convert and cache images",
            ".SH SYNOPSIS", ".B tintype", ".I command", "[options] ...",
            ".br", ".B tintype", "\\-\\-version [\\-\\-json]",
            ".SH DESCRIPTION",
            text(
                "Downloads, decodes, resizes and caches images from the command line. With --json, standard output holds "
                    + "JSON Lines and nothing else. Progress bars appear on standard error only if it is a terminal."),
            ".SH COMMANDS",
        ]
        for command in CommandTable.all {
            lines.append(
                ".SS " + text(([command.name] + [command.operands]).filter { !$0.isEmpty }.joined(separator: " ")))
            lines.append(text(command.summary + "."))
            if !command.discussion.isEmpty { lines += [".PP", text(command.discussion)] }
            for option in command.options {
                let value = option.value.map { " \\fI\(text($0))\\fR" } ?? ""
                let short = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
                lines += [".TP", "\(short)\\fB\(text("--" + option.name))\\fR\(value)", text(option.help + ".")]
            }
            for example in command.examples {
                lines += [".PP", text(example.explanation + ":"), ".RS", ".nf", text(example.line), ".fi", ".RE"]
            }
        }
        lines += [
            ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "If set and not empty, nothing is coloured.",
            ".TP", ".B XDG_CACHE_HOME", "The parent folder of the cache; ~/.cache by default.",
            ".TP", ".B TINTYPE_LIBRARY_MESSAGES",
            "If set, messages of codec libraries about damaged data appear on standard error.",
            ".TP", ".B http_proxy, https_proxy, all_proxy, no_proxy", "The proxies of web requests.",
            ".TP", ".B SSL_CERT_FILE", "The certificate authorities to trust, in place of the system's.",
            ".TP", ".B TINTYPE_GRAPHICS", "How \\-\\-show draws: kitty, iterm, sixel or blocks.",
            ".SH EXIT STATUS", ".TP", ".B 0", "All good.", ".TP", ".B 1", "Something failed.",
            ".TP", ".B 2", "The command line is wrong.", ".TP", ".B 130", "Stopped by SIGINT.",
            ".TP", ".B 143", "Stopped by SIGTERM, at most two seconds later.",
            ".SH DIAGNOSTICS", text("Errors go to standard error as 'tintype: CODE: sentence'. The codes are stable:"),
            text(codes.joined(separator: ", ") + "."),
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    static let codes = [
        "invalidURL", "unsupportedScheme", "blockedAddress", "connectionFailed", "timedOut", "tlsFailed",
        "tooManyRedirects", "badStatus", "unacceptableContentType", "bodyTooLarge", "truncated", "emptyBody",
        "unsupportedFormat", "codecUnavailable", "corrupt", "imageTooLarge", "noSuchFrame", "notEncodable",
        "processorFailed", "notInCache", "blocked", "failedRecently", "cancelled", "shutDown", "diskFull", "ioFailed",
        "usage",
    ]

    /// Escapes dashes, backslashes and a leading dot or apostrophe.
    private static func text(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return escaped.first == "." || escaped.first == "'" ? "\\&" + escaped : escaped
    }
}
