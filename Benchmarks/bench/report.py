"""The only writer of tables: rows to the terminal, to Markdown and to JSON."""

import dataclasses
import json

HEAD = ["job", "by", "wall", "CPU", "peak memory", "ratio", "figures", "bar"]

PREFACE = """# Benchmarks

Written by `make bench`; do not edit. Ratios are of the medians of wall time: a peer's time by Tintype's, so more than 1×
means that Tintype is quicker. The contenders of a job are processes that take turns in one run, each with its input in
memory and warm, on one thread unless the job says otherwise. CPU is that of all threads and child processes. Peak memory
is what the first run of the job added to the resident memory of a process that had its input ready. Bars are what the
project asks of itself; what it does not reach is marked ✗.
"""


def time_text(seconds):
    if seconds is None:
        return ""
    for factor, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}" if seconds < 1000 * factor else f"{seconds:.0f} s"
    return f"{seconds * 1e9:.3g} ns"


def memory_text(count):
    return "" if count is None else f"{max(count, 0) / 1e6:.1f} MB"


def figure_text(name, value):
    if name == "bytes":
        return f"{value / 1e6:.3f} MB" if value >= 1e5 else f"{value:.0f} bytes"
    if name == "growth":
        return f"growth {value / 1e6:.2f} MB"
    return f"{name.replace('_', ' ')} {value:.4g}"


def verdict_text(verdict):
    if verdict["met"] is None:
        return f"{verdict['bar']}: not measured"
    unit = verdict["unit"] if verdict["unit"] in ("×", "") else " " + verdict["unit"]
    return f"{'✓' if verdict['met'] else '✗'} {verdict['bar']} ({verdict['measured']:.3g}{unit})"


def cells(row):
    if row.error:
        return [row.job, row.by, "", "", "", "", f"not possible: {row.error}"[:120].replace("\n", " "), ""]
    return [
        row.job, row.by, time_text(row.wall), time_text(row.cpu), memory_text(row.peak),
        "" if row.ratio is None else f"{row.ratio:.2f}×",
        ", ".join(figure_text(name, value) for name, value in row.figures.items()),
        "; ".join(map(verdict_text, row.verdicts)),
    ]


def line(row):
    job, by, wall, cpu, peak, ratio, figures, bar = cells(row)
    return f"{job[:46]:46} {by:17} {wall:>8} {cpu:>8} {peak:>9} {ratio:>7}  {'  '.join(filter(None, (figures, bar)))}"


def tally(rows):
    verdicts = [verdict for row in rows for verdict in row.verdicts]
    met = sum(verdict["met"] is True for verdict in verdicts)
    missed = [f"{row.job}, {verdict_text(verdict)}" for row in rows for verdict in row.verdicts if verdict["met"] is False]
    unknown = [f"{row.job}, {verdict_text(verdict)}" for row in rows for verdict in row.verdicts if verdict["met"] is None]
    return met, missed, unknown


def markdown(machine, rows, notes, subjects):
    text = [PREFACE]
    met, missed, unknown = tally(rows)
    text.append(f"{met} of {met + len(missed) + len(unknown)} bars are reached.\n")
    text += [f"* not reached: {miss}" for miss in missed] + [f"* {miss}" for miss in unknown] + [""]
    for subject, title in subjects.items():
        mine = [row for row in rows if row.subject == subject]
        if not mine:
            continue
        text += [f"## {title}\n", "| " + " | ".join(HEAD) + " |", "|---|---|--:|--:|--:|--:|---|---|"]
        before = ""
        for row in mine:
            columns = [column.replace("|", "\\|") for column in cells(row)]
            columns[0] = "" if row.job == before else columns[0]
            before = row.job
            text.append("| " + " | ".join(columns) + " |")
        text.append("")
    text.append("## Machine and versions\n")
    for name, value in machine.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key} {version}" for key, version in value.items())
        text.append(f"* {name}: {value}")
    text += [""] + ([f"* {note}" for note in notes] + [""] if notes else [])
    return "\n".join(text)


def as_json(machine, rows, notes):
    entries = []
    for row in rows:
        entry = {key: value for key, value in dataclasses.asdict(row).items() if value not in (None, "", [], {})}
        entries.append({key: float(f"{value:.5g}") if isinstance(value, float) else value for key, value in entry.items()})
    return json.dumps({"machine": machine, "notes": notes, "rows": entries}, indent=1, ensure_ascii=False) + "\n"
