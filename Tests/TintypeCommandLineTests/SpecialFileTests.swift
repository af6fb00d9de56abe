import Foundation
import TestOrigin
import Testing

@Suite("Pipes, devices and names that are not UTF-8", .serialized)
struct SpecialFileTests {
    let tool: Tool

    init() throws {
        tool = try Tool()
        try Images.png().write(to: tool.folder.appendingPathComponent("a.png"))
        mkfifo(tool.path("fifo.png"), 0o600)
    }

    @Test(
        "a named pipe never blocks",
        arguments: [
            "info fifo.png", "info file://$PWD/fifo.png", "convert fifo.png b.png", "convert a.png fifo.png",
            "get fifo.png", "get file://$PWD/fifo.png", "get -i fifo.png", "get -o fifo.png a.png",
            "get --force -o fifo.png a.png", "prefetch fifo.png", "prefetch -i fifo.png",
            "json put http://127.0.0.1/ -i fifo.png", "cache stats --cache-dir fifo.png",
            "get --progressive fifo.png a.png", "demo -o fifo.png", "info /dev/tty1", "info /dev/zero",
            "convert /dev/zero b.png",
        ])
    func pipe(command: String) async throws {
        defer { tool.remove() }
        let outcome = try await tool.shell("exec timeout 60 $T \(command)")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("tintype: ioFailed: "), "\(outcome.errors)")
    }

    @Test("a file of a short name is named in the message")
    func shortNames() async throws {
        defer { tool.remove() }
        for name in ["f", "pipe", "file"] {
            mkfifo(tool.path(name), 0o600)
            #expect(
                try await tool.run("info", name).errors
                    == "tintype: ioFailed: \(name): it is a named pipe, not a regular file\n")
        }
    }

    @Test("a named pipe in the output folder is not an existing file")
    func folder() async throws {
        defer { tool.remove() }
        mkdir(tool.path("out"), 0o755)
        mkfifo(tool.path("out/a.png"), 0o600)
        #expect(try await tool.shell("exec timeout 60 $T get -o out a.png").status == 0)
        #expect(tool.files("out") == ["a-2.png", "a.png"])
    }

    @Test("/dev/fd paths may be pipes")
    func descriptors() async throws {
        defer { tool.remove() }
        for command in [
            "$T info <(cat a.png)", "cat a.png | $T info /dev/stdin", "$T info /dev/stdin < a.png",
            "cat a.png | $T convert /dev/fd/0 b.png", "$T get -i <(echo a.png)",
            "$T convert a.png /dev/stdout --format png | $T info -",
            "$T convert a.png --format png >(cat > c.png); wait $!; $T info c.png",
            "$T info 5< <(cat a.png) /proc/self/fd/5", "cat a.png | $T get -o d.png /dev/stdin; cmp a.png d.png",
            "$T get -o e.png - < a.png; cmp a.png e.png", "$T get --json -o f/ <(cat a.png); cmp a.png f/*.png",
            "$T get -o g.png --resize 4x4 /dev/stdin < a.png; $T get -o h.png /dev/stdin < g.png; cmp g.png h.png",
            "cat a.png | $T prefetch /dev/stdin", "$T json put http://h/ -i <(echo 1)",
        ] {
            let outcome = try await tool.shell(command)
            #expect(outcome.status == 0, "\(command): \(outcome.errors)")
        }
    }

    @Test("a pipe is read once, within the limit, and not where local files are refused")
    func pipesOfGet() async throws {
        defer { tool.remove() }
        for (command, code) in [
            ("cat a.png | $T get --max-bytes 20 -", "bodyTooLarge"), ("true | $T get /dev/stdin", "emptyBody"),
            ("echo no image | $T get /dev/stdin", "unsupportedFormat"),
            ("cat a.png | $T get --block-private /dev/stdin", "blockedAddress"), ("$T get /dev/fd/77", "ioFailed"),
        ] {
            let outcome = try await tool.shell(command)
            #expect(outcome.status == 1, "\(command)")
            #expect(outcome.errors.hasPrefix("tintype: \(code): "), "\(command): \(outcome.errors)")
        }
        #expect(try await tool.shell("cat a.png | $T get - > /dev/null && $T cache list").output.isEmpty)
    }

    @Test("names that are not UTF-8 work, and are printed escaped")
    func bytes() async throws {
        defer { tool.remove() }
        let script = """
            set -e
            odd=$(printf 'x\\xff\\xe9y\\xf4\\x8f\\xbf\\xbf')
            cp a.png "$odd.png"
            $T info "$odd.png"
            $T info --json "$odd.png" "file://$PWD/x%FF%E9y%F4%8F%BF%BF.png"
            $T convert "$odd.png" "$odd.jpg"; test -f "$odd.jpg"
            $T get --json -o "$odd.d/" "$odd.png"; test -d "$odd.d"; ls "$odd.d"/x*.png > /dev/null
            $T get --json -o "$odd.d/" "$odd.png" | grep -q '"skipped"'
            $T get --json -o "$odd.copy.png" "$odd.png"; cmp "$odd.copy.png" a.png
            printf '%s\\n' "$odd.png" "file://$PWD/x%FF%E9y%F4%8F%BF%BF.png" > "$odd.txt"
            $T get --json -i "$odd.txt"
            $T prefetch --cache-dir "$odd.cache" --json "$odd.png"; test -d "$odd.cache"
            $T cache path --cache-dir "$odd.cache"
            mkdir "$odd.work"; cp a.png "$odd.work"; cd "$odd.work"; $T get -o b.png a.png; test -f b.png; cd ..
            ! $T info "$odd.none"
            """
        let outcome = try await tool.shell(script)
        #expect(outcome.status == 0, "\(outcome.errors) \(outcome.text)")
        #expect(String(data: outcome.output, encoding: .utf8) != nil, "nothing but UTF-8 comes out")
        #expect(outcome.text.hasPrefix("x\\xFF\\xE9y\\xF4\\x8F\\xBF\\xBF.png: png, 40x20"))
        #expect(outcome.errors.contains("tintype: ioFailed: x\\xFF\\xE9y\\xF4\\x8F\\xBF\\xBF.none: "))
    }
}
