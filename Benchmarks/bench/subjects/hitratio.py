"""Hit ratios of the memory cache on public request traces, where they lie beside the checkout."""

import os

from ..comparison import OURS, Bar, Row, least
from ..worker import Worker

TRACES = [
    "scarab_scarab-recs", "cache2k_web07", "cache2k_web12", "cache2k_orm-busy", "cache2k_orm-night",
    "adapt_size_request",
]
SHARES = [0.005, 0.01, 0.05, 0.1, 0.2, 0.5]


def rows(lab):
    differences = []
    for trace in lab.some(list(reversed(TRACES)))[::-1]:
        file = os.path.join(lab.shared, "traces", trace + ".trace.xz")
        if not os.path.exists(file):
            lab.notes.append(f"The trace {trace} is not there: no hit ratios for it.")
            continue
        shares = lab.pick(SHARES, SHARES[2:3])
        worker = Worker("trace", OURS, {"file": file, "name": trace, "shares": ",".join(map(str, shares))})
        try:
            worker.ready()
            figures = worker.turn(0)["figures"]
        finally:
            worker.close()
        name = trace.split("_", 1)[1]
        for share in shares:
            lru, ours = figures[f"lru {share}"], figures[f"tintype {share}"]
            differences.append(ours - lru)
            yield row(f"{name}, room for {share:.1%} of the keys", [least("to_LRU", -0.5, unit="points")], {
                "hits_%": ours, "LRU_%": lru, "optimum_%": figures[f"optimum {share}"], "to_LRU": ours - lru})
        for share in shares if f"lru bytes {share}" in figures else []:
            bars = [least("to_LRU_bytes", 2, unit="points")] if share == 0.05 else []
            kinds = {kind: [figures[f"{by} {kind} {share}"] for by in ("tintype", "lru")] for kind in ("objects", "bytes")}
            yield row(f"{name}, room for {share:.1%} of the bytes", bars, {
                "hits_%": kinds["objects"][0], "LRU_%": kinds["objects"][1], "bytes_%": kinds["bytes"][0],
                "LRU_bytes_%": kinds["bytes"][1], "to_LRU_bytes": kinds["bytes"][0] - kinds["bytes"][1]})
    if differences:
        yield row("mean of all cells", [least("to_LRU", 1.8, unit="points")], {
            "to_LRU": sum(differences) / len(differences), "worst": min(differences), "cells": len(differences)})


def row(job, bars: list[Bar], figures):
    result = Row("hitratio", job, OURS, figures=figures)
    result.verdicts = [bar.verdict({OURS: result}) for bar in bars]
    return result
