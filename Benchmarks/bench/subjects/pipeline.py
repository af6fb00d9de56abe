"""The pipeline: memory hits, what it adds to a download, and whole loads against Python's ways."""

from ..comparison import OURS, Contender, most, times
from ..origin import origin


def rows(lab):
    for form in lab.some(["kept requests", "new requests", "async"]):
        yield from lab.compare(
            "pipeline", f"memory hit, {form}", [Contender(OURS, "memory hits", {"form": form})],
            [most("wall", 1e-6, 1e-6, "µs")] if form != "async" else [], is_pinned=form != "async").rows()
    with lab.folder() as folder:
        count = lab.pick(2000, 100)
        with origin(lab.inputs.downloads(count)) as address:
            keys = {"origin": address, "count": count}
            comparison = lab.compare(
                "pipeline", "one load without decoding", [
                    Contender(OURS, "loads", keys),
                    Contender(OURS, "loads", {**keys, "folder": folder}, "tintype, to disk too"),
                    Contender("raw download", "loads", keys),
                ], [most("added_cpu_us", 15, unit="µs")], turns=5, seconds=0)
            found = comparison.run()
            for name in (OURS, "tintype, to disk too"):
                if found[name].cpu and found["raw download"].cpu:
                    found[name].figures["added_cpu_us"] = (found[name].cpu - found["raw download"].cpu) * 1e6
            yield from comparison.judged(found)
        count = lab.pick(1000, 40)
        with origin(lab.inputs.jpegs(count)) as address:
            yield from lab.compare(
                "pipeline", f"{count:,} JPEGs of 20 KB: download, 128 px, both caches",
                lab.peers(
                    "whole loads", ["asyncio + Pillow", "img2dataset"], origin=address, count=count, folder=folder),
                [times("the best", 2)], turns=5, seconds=0).rows()
