"""The memory cache against Foundation's NSCache and a textbook LRU."""

from ..comparison import OURS, Contender, most, times


def rows(lab):
    for capacity, factor in lab.some([(1000, 15), (10_000, 10), (100_000, 4)]):
        for threads in (1, 2):
            def contender(by, operations):
                return Contender(by, "mixed", {
                    "capacity": capacity, "threads": threads, "operations": lab.pick(operations, operations // 20)})

            bars = [times("NSCache", factor), times("textbook LRU", 3)] if threads == 1 else [times("NSCache", 10)]
            yield from lab.compare(
                "memory", f"{capacity:,} entries, get and set, {threads} thread{'s' * (threads - 1)}",
                [contender(OURS, 1_000_000), contender("tintype .lru", 1_000_000), contender("textbook LRU", 400_000),
                 contender("NSCache", 100_000)], bars, turns=7, seconds=0).rows()
        bars = [most("wall", 150e-9, 1e-9, "ns")] if capacity == 10_000 else []
        yield from lab.compare(
            "memory", f"{capacity:,} entries, hits",
            lab.peers("hits", ["NSCache", "textbook LRU"], capacity=capacity), bars + [most("allocations", 0)],
            turns=7).rows()
        # NSCache walks a list for each set: a hundred thousand entries would take it half a minute for each turn.
        yield from lab.compare(
            "memory", f"{capacity:,} entries, sets at the cost limit",
            lab.peers("sets at the limit", ["NSCache"] if capacity < 100_000 else [], capacity=capacity),
            [most("wall", 1e-6, 1e-6, "µs")] if capacity == 100_000 else [], turns=5, seconds=0).rows()
