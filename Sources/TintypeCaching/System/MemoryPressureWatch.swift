import TintypeBase

/// The watching thread of a ``MemoryPressureMonitor``.
final class MemoryPressureWatch: @unchecked Sendable {
    // Set up on the starting thread, then used by the watching thread alone; `sources` is immutable.
    private let facts: MemoryFacts
    private let stop: Int32
    private let milliseconds: Int32
    private var triggers: [(file: Int32, level: MemoryPressureLevel)] = []
    private var events: (file: Int32, seen: (high: Int, limit: Int))?
    private var lastReports: [MemoryPressureLevel: Duration] = [:]
    let sources: MemoryPressureMonitor.Sources

    /// Below these shares of available memory polling reports.
    static let someShare = 0.10
    static let fullShare = 0.04

    init(facts: MemoryFacts, stop: Int32, interval: Duration) {
        self.facts = facts
        self.stop = stop
        let (seconds, attoseconds) = interval.components
        milliseconds = Int32(clamping: max(10, seconds.clampedMilliseconds + attoseconds / 1_000_000_000_000_000))
        var sources: MemoryPressureMonitor.Sources = []
        let paths = facts.groupFolders.prefix(1).map { $0 + "/memory.pressure" } + ["/proc/pressure/memory"]
        var triggers: [(file: Int32, level: MemoryPressureLevel)] = []
        for path in paths where triggers.isEmpty {
            for (text, level) in [("some", MemoryPressureLevel.some), ("full", .full)] {
                if let file = Self.trigger(facts.root + path, text + " 100000 2000000") {
                    triggers.append((file, level))
                }
            }
        }
        self.triggers = triggers
        if !triggers.isEmpty { sources.insert(.pressureStallInformation) }
        if let folder = facts.groupFolders.first, let seen = facts.groupEvents {
            let file = open(facts.root + folder + "/memory.events", O_RDONLY | O_CLOEXEC)
            if file >= 0 {
                events = (file, seen)
                sources.insert(.controlGroupEvents)
            }
        }
        // Pressure of the machine says nothing about a limit of ours that is nearly used up.
        if triggers.isEmpty || facts.groupLimit != nil { sources.insert(.polling) }
        self.sources = sources
    }

    deinit {
        for trigger in triggers { close(trigger.file) }
        if let events { close(events.file) }
        if stop >= 0 { close(stop) }
    }

    /// "some 100000 2000000": 100 ms of waiting within 2 s. Windows that are multiples of 2 s need no privilege.
    private static func trigger(_ path: String, _ text: String) -> Int32? {
        let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        let isSet = text.withCString { write(file, $0, strlen($0) + 1) >= 0 }
        // A plain file takes the text too; only the kernel's can be waited for.
        var entry = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
        guard isSet, poll(&entry, 1, 0) >= 0, entry.revents & Int16(POLLERR | POLLNVAL) == 0, isKernelFile(file) else {
            close(file)
            return nil
        }
        return file
    }

    private static func isKernelFile(_ file: Int32) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_size == 0
    }

    /// Runs until `report` returns false or the pipe hangs up. `report` is called with nil to ask whether to go on.
    func run(_ report: (MemoryPressureLevel?) -> Bool) {
        while report(nil) {
            var entries: [pollfd] = []
            for trigger in triggers { entries.append(pollfd(fd: trigger.file, events: Int16(POLLPRI), revents: 0)) }
            if let events { entries.append(pollfd(fd: events.file, events: Int16(POLLPRI), revents: 0)) }
            entries.append(pollfd(fd: stop, events: Int16(POLLIN), revents: 0))
            let timeout = sources.contains(.polling) || stop < 0 ? milliseconds : -1
            let count = poll(&entries, nfds_t(entries.count), timeout)
            if count < 0, errno != EINTR { return }
            if stop >= 0, let last = entries.last, last.revents != 0 { return }
            var level: MemoryPressureLevel?
            for (index, trigger) in triggers.enumerated() where entries[index].revents & Int16(POLLPRI) != 0 {
                level = Self.worse(level, trigger.level)
            }
            level = Self.worse(level, levelOfEvents())
            if sources.contains(.polling) { level = Self.worse(level, levelOfShare()) }
            // A trigger whose group was removed reports an error for ever.
            for (index, trigger) in triggers.enumerated().reversed()
            where entries[index].revents & Int16(POLLERR | POLLNVAL) != 0 {
                close(trigger.file)
                triggers.remove(at: index)
            }
            if let level, isDue(level), !report(level) { return }
        }
    }

    private func isDue(_ level: MemoryPressureLevel) -> Bool {
        let now = monotonicTime()
        if let last = lastReports[level], now - last < .seconds(1) { return false }
        lastReports[level] = now
        return true
    }

    private func levelOfEvents() -> MemoryPressureLevel? {
        guard let before = events?.seen, let now = facts.groupEvents else { return nil }
        events?.seen = now
        if now.limit > before.limit { return .full }
        return now.high > before.high ? .some : nil
    }

    private func levelOfShare() -> MemoryPressureLevel? {
        guard let share = facts.availableShare else { return nil }
        return share < Self.fullShare ? .full : share < Self.someShare ? .some : nil
    }

    private static func worse(_ first: MemoryPressureLevel?, _ second: MemoryPressureLevel?) -> MemoryPressureLevel? {
        first == .full || second == .full ? .full : first ?? second
    }
}

extension Int64 {
    fileprivate var clampedMilliseconds: Int64 { Swift.min(self, 1_000_000) * 1000 }
}
