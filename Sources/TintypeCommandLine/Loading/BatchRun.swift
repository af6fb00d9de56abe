import Tintype
import TintypeBase

/// Runs a batch from the main thread, prints its events there, and handles signals.
enum BatchRun {
    private enum Message: Sendable {
        case event(BatchEvent)
        case end
    }

    static func run(
        _ loader: BatchLoader, receive: (BatchEvent) -> Void, summary: () -> ExitStatus
    ) -> ExitStatus {
        let mailbox = Mailbox<Message>()
        let task = Task.detached {
            await loader.run { mailbox.put(.event($0)) }
            mailbox.put(.end)
        }
        let ended = Locked<ExitStatus?>(nil)
        let isCutShort = Locked(false)
        SignalWatcher.handle { request in
            loader.gate.close()
            switch request {
            case .terminate: ended.withLock { $0 = .terminated }
            case .interrupt:
                ended.withLock { $0 = $0 ?? .interrupted }
                isCutShort.withLock { $0 = true }
                task.cancel()
            case .abandon: mailbox.put(.end)
            }
        }
        defer { SignalWatcher.handle(nil) }
        var results = 0
        loop: while true {
            switch mailbox.take() {
            case .event(let event):
                if event.isFinal { results += 1 }
                receive(event)
            case .end: break loop
            }
        }
        let status = summary()
        guard let signal = ended.withLock({ $0 }) else { return status }
        // All loads had ended when the signal came: then their result is the status.
        return results == loader.urls.count && !isCutShort.withLock({ $0 }) ? status : signal
    }
}

/// A queue of messages for one thread that blocks for them.
private final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        var gate: BlockingGate<Void>?
    }

    private let state = Locked(State())

    func put(_ message: Message) {
        let gate = state.withLock { state in
            state.messages.append(message)
            defer { state.gate = nil }
            return state.gate
        }
        gate?.open(())
    }

    /// Returns the next message; blocks until there is one.
    func take() -> Message {
        while true {
            let (message, gate) = state.withLock { state -> (Message?, BlockingGate<Void>?) in
                if !state.messages.isEmpty { return (state.messages.removeFirst(), nil) }
                let gate = BlockingGate<Void>()
                state.gate = gate
                return (nil, gate)
            }
            if let message { return message }
            gate?.wait()
        }
    }
}
