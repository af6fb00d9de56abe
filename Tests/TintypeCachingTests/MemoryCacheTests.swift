import Foundation
import Testing

@testable import TintypeCaching

@Suite("Memory cache: reference sequences")
struct MemoryCacheReferenceTests {
    @Test("Limit 30 and 100 inserts keeps 70…99 in order", arguments: [MemoryCachePolicy.default, .lru])
    func keepsTheNewest(policy: MemoryCachePolicy) {
        let cache = MemoryCache<Int, String>(.init(countLimit: 30, policy: policy))
        for number in 0..<100 { cache.set("\(number)", for: number) }
        #expect(cache.keys == Array(70..<100))
        #expect(cache.count == 30)
        for number in 0..<70 { #expect(cache.value(for: number) == nil) }
        for number in 70..<100 { #expect(cache.value(for: number) == "\(number)") }
    }
}
