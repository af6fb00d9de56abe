"""The response cache against a file for each answer with Foundation, as the reference did it."""

from ..comparison import OURS, Contender, times


def rows(lab):
    count = lab.pick(10_000, 100)
    with lab.folder() as folder:
        for job in ("put", "get"):
            contenders = [
                Contender(name, f"json {job}", {"folder": f"{folder}/{name}-{job}", "count": count})
                for name in (OURS, "reference")]
            yield from lab.compare(
                "json", f"{job} 2 KB, {count:,} answers", contenders, [times("reference", 3)], turns=1, seconds=0).rows()
