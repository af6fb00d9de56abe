extension HTTPTransfer {
    /// Asks the request modifier, then queues what it made of the request.
    func modify(with modifier: @escaping @Sendable (DownloadRequest) async throws -> DownloadRequest?) {
        let original = request
        setHookTask(
            Task {
                do {
                    guard var changed = try await modifier(original) else {
                        end(.failure(.refused(by: "request modifier", reason: "it returned no request")))
                        return
                    }
                    changed.hooks = changed.hooks.falling(back: original.hooks)
                    engine.post(.submit(self, changed))
                } catch {
                    end(.failure(.fromHook("request modifier", error)))
                }
            })
    }
}

extension NetworkingError {
    /// What a hook threw, as an error of this layer.
    static func fromHook(_ name: String, _ error: any Error) -> NetworkingError {
        switch error {
        case let error as NetworkingError: error
        case is CancellationError: .cancelled
        default: .refused(by: name, reason: "\(error)")
        }
    }
}
