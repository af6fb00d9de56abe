"""The memory cache against Foundation's NSCache and a textbook LRU."""

from ..comparison import OURS, Contender, most, times


def rows(lab):
    for capacity, factor in lab.some([(1000, 5), (10_000, 5), (100_000, 2.5)]):
        for threads in (1, 2):
            def contender(by, operations):
                return Contender(by, "mixed", {
                    "capacity": capacity, "threads": threads, "operations": lab.pick(operations, operations // 20)})

            bars = [times("NSCache", factor if threads == 1 else 4)]
            yield from lab.compare(
                "memory", f"{capacity:,} entries, get and set, {threads} thread{'s' * (threads - 1)}",
                [contender(OURS, 1_000_000), contender("tintype .lru", 1_000_000), contender("textbook LRU", 400_000),
                 contender("NSCache", 100_000)], bars, turns=7, seconds=0).rows()
        yield from lab.compare(
            "memory", f"{capacity:,} entries, hits",
            lab.peers("hits", ["NSCache", "textbook LRU"], capacity=capacity), [most("allocations", 0)],
            turns=7).rows()
        # NSCache walks a list for each set: a hundred thousand entries would take it half a minute for each turn.
        yield from lab.compare(
            "memory", f"{capacity:,} entries, sets at the cost limit",
            lab.peers("sets at the limit", ["NSCache"] if capacity < 100_000 else [], capacity=capacity),
            turns=5, seconds=0).rows()
