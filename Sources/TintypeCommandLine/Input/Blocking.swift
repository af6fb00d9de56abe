import TintypeBase

/// Runs asynchronous work from the main thread, which may block: it is not one of the cooperative pool.
func waitFor<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let gate = BlockingGate<Result<Value, any Error>>()
    Task.detached {
        do { gate.open(.success(try await body())) } catch { gate.open(.failure(error)) }
    }
    return try gate.wait().get()
}
