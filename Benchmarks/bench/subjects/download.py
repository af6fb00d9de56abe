"""The downloader against curl --parallel and URLSession, on nginx in a process of its own."""

from ..comparison import OURS, Contender, most, times
from ..origin import origin


def rows(lab):
    count = lab.pick(2000, 100)
    with origin(lab.inputs.downloads(count)) as address:
        keys = {"origin": address, "count": count}
        for concurrency in lab.some([6, 32, 64]):
            yield from lab.compare(
                "download", f"{count:,} files of 5 to 45 KB, {concurrency} at once",
                lab.peers("download", ["curl --parallel", "URLSession"], concurrency=concurrency, **keys),
                [times("curl --parallel", 0.9), times("URLSession", 5), times("URLSession", 5, "cpu")],
                turns=5, seconds=0).rows()
        requests = lab.pick(60_000, 1200)
        yield from lab.compare(
            "download", f"{requests:,} requests: growth after the first {requests // 12:,}",
            [Contender(OURS, "memory growth", {**keys, "requests": requests})], [most("growth", 3e6, 1e6, "MB")],
            # The growth of a process that has just begun is what counts: that of the first run.
            turns=0, seconds=0).rows()
    yield from lab.compare(
        "download", "from cancel to the closed socket", [Contender(OURS, "cancel", {})],
        [most("wall", 5e-3, 1e-3, "ms")], turns=lab.pick(15, 3), seconds=0).rows()
