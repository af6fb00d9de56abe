import TintypeConcurrency

extension ResponseCache {
    /// Runs `body` behind everything that was ordered before, and blocks the calling thread until it has run.
    func blockingOnWriter<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let gate = BlockingGate<Result<Value, any Error>>()
        writer.submit { gate.open(Result { try body() }) }
        return try gate.wait().get()
    }
}

extension Duration {
    /// As `Date` counts, with fractions.
    var wholeSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
