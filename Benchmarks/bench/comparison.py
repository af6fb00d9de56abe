"""One comparison: contenders that take turns at a job, and the bars that its figures are held to."""

from dataclasses import dataclass, field
from statistics import median

from .worker import Unable, Worker

OURS = "tintype"


@dataclass
class Contender:
    by: str
    job: str
    keys: dict
    # How the table calls it; by default as the worker does.
    name: str = ""

    def __post_init__(self):
        self.name = self.name or self.by


@dataclass
class Bar:
    """A figure of ours and what it must reach: a peer's in proportion, or a number of its own."""

    figure: str
    limit: float
    # At least the limit, or at most.
    least: bool
    against: str = ""
    # What the figure is divided by to be printed, and the unit then.
    scale: float = 1
    unit: str = ""

    def value(self, rows):
        ours = rows[OURS].figure(self.figure)
        if not self.against:
            return ours
        theirs = [row.figure(self.figure) for name, row in rows.items() if name == self.against or (
            self.against == "the best" and name != OURS and not row.error)]
        theirs = [value for value in theirs if value is not None]
        if not theirs or not ours:
            return None
        return min(theirs) / ours if self.least else ours / min(theirs)

    def verdict(self, rows):
        value = self.value(rows)
        sign, unit = ("≥" if self.least else "≤"), self.unit or ("×" if self.against else "")
        unit = unit if unit in ("×", "") else " " + unit
        text = f"{sign} {self.limit / self.scale:g}{unit}"
        if self.figure not in ("wall",):
            text = f"{self.figure.replace('_', ' ')} {text}"
        if self.against:
            text += f" {self.against}"
        is_met = None if value is None else (value >= self.limit if self.least else value <= self.limit)
        measured = None if value is None else value / self.scale
        return {"bar": text, "measured": measured, "unit": unit.strip(), "met": is_met}


def times(peer, factor, figure="wall"):
    """At least so many times as quick (or as small, …) as a peer, or as "the best" of them."""
    return Bar(figure, factor, True, peer)


def cost(peer, factor, figure="wall"):
    """At most so many times what a peer takes."""
    return Bar(figure, factor, False, peer)


def most(figure, limit, scale=1, unit=""):
    return Bar(figure, limit, False, "", scale, unit)


def least(figure, limit, scale=1, unit=""):
    return Bar(figure, limit, True, "", scale, unit)


@dataclass
class Row:
    """What one contender took for a job: medians of its turns."""

    subject: str
    job: str
    by: str
    wall: float = None
    cpu: float = None
    peak: float = None
    ratio: float = None
    figures: dict = field(default_factory=dict)
    verdicts: list = field(default_factory=list)
    error: str = ""

    def figure(self, name):
        return getattr(self, name) if name in ("wall", "cpu", "peak") else self.figures.get(name)


class Comparison:
    def __init__(self, subject, job, contenders, bars=(), turns=9, seconds=0.05, is_pinned=False):
        self.subject, self.job, self.contenders, self.bars = subject, job, contenders, bars
        self.turns, self.seconds, self.is_pinned = turns, seconds, is_pinned

    def run(self):
        """The rows, ours first. Contenders that cannot do the job have rows that say why."""
        workers, answers = {}, {}
        rows = {contender.name: Row(self.subject, self.job, contender.name) for contender in self.contenders}
        try:
            for contender in self.contenders:
                workers[contender.name] = Worker(contender.job, contender.by, contender.keys, self.is_pinned)
            for name, worker in workers.items():
                try:
                    worker.ready()
                except Unable as unable:
                    rows[name].error = str(unable)
            for name, worker in workers.items():
                if rows[name].error:
                    continue
                try:
                    # The first turn warms up, and is the one whose memory counts; without others it is all there is.
                    first = worker.turn(0)
                    rows[name].peak = first["peak"]
                    answers[name] = [] if self.turns else [first]
                except Unable as unable:
                    rows[name].error = str(unable)
            order = list(workers)
            for turn in range(self.turns):
                # Who goes first changes, so that nobody always follows the same neighbour.
                for name in order[turn % len(order):] + order[:turn % len(order)]:
                    if rows[name].error:
                        continue
                    try:
                        answers[name].append(workers[name].turn(self.seconds))
                    except Unable as unable:
                        rows[name].error = str(unable)
        finally:
            for worker in workers.values():
                worker.close()
        for name, turns in answers.items():
            if not turns:
                continue
            rows[name].wall = median(turn["wall"] for turn in turns)
            rows[name].cpu = median(turn["cpu"] for turn in turns)
            for figure in turns[-1]["figures"]:
                rows[name].figures[figure] = median(turn["figures"][figure] for turn in turns)
        ours = rows.get(OURS)
        for name, row in rows.items():
            if ours and ours.wall and row.wall and name != OURS:
                row.ratio = row.wall / ours.wall
        return rows

    def judged(self, rows):
        """The rows with their verdicts: bars against a peer stand in its row, the others in ours."""
        for bar in self.bars:
            place = bar.against if bar.against in rows else OURS
            rows[place].verdicts.append(bar.verdict(rows))
        return list(rows.values())

    def rows(self):
        return self.judged(self.run())
