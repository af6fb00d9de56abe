"""The disk cache against a file for each entry with Foundation, SQLite blobs and LMDB."""

from ..comparison import OURS, Contender, cost, most, times


def rows(lab):
    with lab.folder() as folder:
        turn = 0

        def contenders(job, names, **keys):
            """Each in a folder of its own."""
            nonlocal turn
            turn += 1
            result = []
            for name in [OURS, *names]:
                place = f"{folder}/{turn}-{name.split()[0]}"
                result.append(Contender(name, job, {**keys, "folder": place}))
            return result

        peers = ["Foundation", "SQLite blobs", "LMDB"]
        for size, count, factor in lab.some([(4096, 200, 10), (20_480, 200, 10), (204_800, 50, 4)]):
            name = f"{size // 1024} KB"
            yield from lab.compare(
                "disk", f"write {name}", contenders("write", ["bare files", *peers], size=size, count=lab.pick(count, 20)),
                [times("Foundation", factor)], seconds=0).rows()
            yield from lab.compare(
                "disk", f"read {name}", contenders("read", ["bare files", *peers], size=size, count=lab.pick(1000, 20)),
                [cost("bare files", 1.5)]).rows()
        yield from lab.compare(
            "disk", "contains, 10,000 entries", contenders("contains", peers, size=1000, count=lab.pick(10_000, 20)),
            [most("wall", 1e-6, 1e-6, "µs")]).rows()
        yield from lab.compare(
            "disk", "size and count, 10,000 entries", contenders("size and count", [], size=1000, count=lab.pick(10_000, 20)),
            [most("wall", 1e-6, 1e-6, "µs")]).rows()
        for count, limit in lab.some([(10_000, 10e-3), (100_000, 60e-3)]):
            yield from lab.compare(
                "disk", f"open with {count:,} entries, first read answered",
                contenders("open", [], size=1000, count=lab.pick(count, 50)), [most("wall", limit, 1e-3, "ms")],
                seconds=0).rows()
        yield from lab.compare(
            "disk", "trim half of 10,000 entries", contenders("trim", peers, size=4000, count=lab.pick(10_000, 50)),
            [times("Foundation", 4), most("longest_read_ms", 20, unit="ms")], turns=3, seconds=0).rows()
