import Tintype
import TintypeBase
import TintypeDemo

/// `tintype demo`: an app list, loaded three times.
enum DemoCommand {
    static let specification = CommandSpecification(
        name: "demo", summary: "Load a list of app icons three times and draw it", operands: "",
        discussion: """
            Starts an HTTP server on loopback and loads the icons of an app list from it: first over the network, then from \
            disk after clearing the memory cache, then from memory. Some apps share an icon, which is loaded once; one icon \
            does not exist and shows a placeholder. Then the list is drawn as an image. No request leaves this machine.
            """,
        options: [
            .value(
                "output", "o", "FILE", kind: .file,
                "Draw the list here; tintype-demo.png in the temporary folder by default"),
            .flag("json", nil, "Print JSON Lines: one for each pass, summary"),
            .flag("show", nil, "Also show the image in the terminal"),
        ],
        examples: [.init(line: "tintype demo -o list.png", explanation: "Run it, and look at list.png")],
        run: run)

    static func run(_ call: Invocation) throws -> ExitStatus {
        if let extra = call.operands.first { throw UsageError("demo takes no '\(extra)'") }
        let apps = try DemoApp.all()
        let icons = DemoIcons.files()
        let origin = try DemoOrigin(
            files: Dictionary(uniqueKeysWithValues: icons.map { ("/icons/" + $0.key, $0.value) }))
        origin.start()
        let temporary = AppDirectories.temporary
        let folder = temporary.appendingPathComponent("tintype-demo-\(UUID().uuidString)")
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch {
                call.console.report(Problem("ioFailed", "cannot be removed: \(error)", source: folder.path))
            }
        }
        if !call.wantsJSON {
            call.console.printLines(
                "\(apps.count) apps with \(Set(apps.map(\.icon)).count) different icons, from http://127.0.0.1:\(origin.port)\n"
            )
        }
        let console = call.console
        let wantsJSON = call.wantsJSON
        let passes = try waitFor {
            let pipeline = try pipeline(folder)
            var passes: [DemoPass] = []
            for (number, title) in [
                (1, "cold, over the network"), (2, "memory dropped, from disk"), (3, "from memory"),
            ] {
                if number == 2 { pipeline.cache.memory?.removeAll() }
                let pass = await DemoPass.run(
                    number, title, apps: apps, origin: origin, pipeline: pipeline, console: console)
                console.printLines(wantsJSON ? DemoReport.json(pass).line : DemoReport.table(pass))
                passes.append(pass)
            }
            await pipeline.shutdown(grace: .zero)
            return passes
        }
        let missing = Set(apps.map(\.icon)).filter { icons[String($0.dropFirst("/icons/".count))] == nil }
        let faults = DemoReport.faults(passes, missing: missing)
        let sheet = try ContactSheet(title: "Tintype", subtitle: subtitle(passes), rows: rows(passes[0])).drawn()
        let path = call.text("output") ?? temporary.appendingPathComponent("tintype-demo.png").path
        let png = try ImageCodecs.standard.encode(sheet, as: .png)
        try OutputFile.write(png, to: path)
        report(faults, path, sheet.size, call)
        if call.has("show"), !wantsJSON, let screen = OutputTarget.screen(console) {
            console.write(try screen(sheet), to: console.output)
        }
        return faults.isEmpty ? .success : .failure
    }

    private static func pipeline(_ folder: URL) throws -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(
            diskCache: try DiskCache(DiskCache.Configuration(root: folder)))
        // The demo's server is on this machine, whatever proxy the environment names.
        configuration.requestDefaults.proxy = .none
        return ImagePipeline(configuration)
    }

    private static func rows(_ pass: DemoPass) -> [ContactSheet.Row] {
        pass.rows.map { row in
            let icon: Bitmap? = if case .success(let response) = row.result { response.image.bitmap } else { nil }
            return ContactSheet.Row(name: row.app.name, downloads: Quantity.grouped(row.app.downloads), icon: icon)
        }
    }

    private static func subtitle(_ passes: [DemoPass]) -> String {
        "\(passes[0].rows.count) rows · \(passes[0].requestCount) requests · "
            + zip(["network", "disk", "memory"], passes).map { "\($0) \(Quantity.seconds($1.median))" }
            .joined(separator: " · ")
    }

    private static func report(_ faults: [String], _ path: String, _ size: PixelSize, _ call: Invocation) {
        for fault in faults { call.console.report(Problem("demoFailed", fault)) }
        if call.wantsJSON {
            call.console.print([
                "event": "summary", "ok": .boolean(faults.isEmpty), "faults": .array(faults.map { .string($0) }),
                "path": .string(path), "width": .integer(size.width), "height": .integer(size.height),
            ])
        } else {
            call.console.print("The list as an image (\(size)): \(path)")
            if faults.isEmpty {
                call.console.print("All counts are right: each icon was requested once, in the first pass.")
            }
        }
    }
}
