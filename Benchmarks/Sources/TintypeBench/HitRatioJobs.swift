import Foundation
import TintypeCaching

extension Job {
    /// Goes through the trace in `file`, named `name`, with caches of several sizes. The figures are percent of the
    /// requests, for `POLICY SHARE`, and where the trace has sizes of objects and bytes, for `POLICY objects SHARE` and
    /// `POLICY bytes SHARE`. The shares are those of the distinct keys, or of their bytes.
    static let hitRatio: [Job] = [
        Job(name: "trace", by: "tintype") { parameters in
            let trace = try Trace(parameters.text("file"), parameters.text("name"))
            let shares = try parameters.text("shares").split(separator: ",").compactMap { Double($0) }
            return Work.withFigures {
                var figures = ["requests": Double(trace.ids.count), "keys": Double(trace.distinct)]
                for share in shares {
                    let capacity = max(10, Int(Double(trace.distinct) * share))
                    figures["optimum \(share)"] = trace.optimum(capacity)
                    for (name, policy) in policies {
                        let configuration = MemoryCache<Int32, Int32>.Configuration(
                            countLimit: capacity, costLimit: nil, policy: policy)
                        figures["\(name) \(share)"] = trace.hitRatio(configuration).objects
                    }
                    guard trace.sizes != nil else { continue }
                    let limit = Int(Double(trace.distinctBytes) * share)
                    for (name, policy) in policies {
                        let ratio = trace.hitRatio(.init(costLimit: limit, entryCostFraction: 1, policy: policy))
                        figures["\(name) objects \(share)"] = ratio.objects
                        figures["\(name) bytes \(share)"] = ratio.bytes
                    }
                }
                return figures
            }
        }
    ]

    private static let policies: [(String, MemoryCachePolicy)] = [("tintype", .default), ("lru", .lru)]
}
