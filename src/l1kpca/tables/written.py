"""Numbers and dates as people write them: how a column is written is learned, then every cell."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from l1kpca import tuning

NO_VALUE = frozenset(
    ["", "-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "?", "??", "na", "n/a", "#n/a",
     "n.a.", "n.a", "<na>", "nan", "nat", "null", "#null!", "#value!", "#div/0!", "#ref!"]
)  # fmt: skip
"""Words that say "no value" in any column, in small letters."""
NO_NUMBER = NO_VALUE | frozenset(
    ["none", "nil", "unknown", "unk", "missing", "not available", "not known", "not applicable",
     "not reported", "undefined", "unspecified", "not specified", "tbd", "tba"]
)  # fmt: skip
"""Words that say it where numbers or dates are meant; a category may be called "none"."""

_MINUS = str.maketrans("\u2212\u2013\u2010\u2011\ufe63\uff0d", "------")
_NOTE = re.compile(
    r"(?:[*\u2020\u2021\u00a7\u00b9\u2070\u2074-\u2079]|\s*\[\w{1,3}\]|(?<=\d)[\u00b2\u00b3])+$"
)
_MONEY = "[$\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u20aa\u20ba\u0e3f\u20ab\u20b4\u00a2]"
_NUMBER = re.compile(
    rf"""(?P<open>\()?\s*(?P<sign>[+-])?\s*(?:[<>\u2264\u2265~\u2248]=?)?\s*
    (?P<money>(?:[A-Za-z]{{1,3}}\s?)?{_MONEY}|USD|EUR|GBP|CHF|JPY|CNY|INR|Rs\.?|kr\.?)?
    \s*(?P<late>[+-])?\s*
    (?P<body>(?:\d{{1,3}}(?:[\s'\u2019]\d{{3}})+(?:[.,]\d*)?|\d[\d.,]*|[.,]\d+)(?:[eE][+-]?\d+)?)
    \s*(?P<unit>(?:[^\W\d_]|{_MONEY}|[%\u2030\u00b0"'])[^\d\s()]*(?:\s[^\W\d_][^\d\s()]*)?[23]?)?
    \s*(?P<trail>-)?\s*(?P<close>\))?""",
    re.VERBOSE,
)
_PLAIN = {
    ".": (re.compile(r"-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?", re.ASCII), ","),
    ",": (re.compile(r"-?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?", re.ASCII), "."),
}
_BLANKS = re.compile(r"[\s'\u2019]")
_CLOCK = re.compile(
    r"([+-])?(\d{1,4}):([0-5]\d)(?::([0-5]\d(?:[.,]\d+)?))?(?:\s*([ap])\.?m\.?)?", re.I
)
_MULTIPLES = {"k": 1e3, "K": 1e3, "M": 1e6, "mn": 1e6, "B": 1e9, "bn": 1e9, "G": 1e9, "T": 1e12}
DAY = 86_400.0
_DAY_ZERO = datetime(1970, 1, 1)
_DAYS = (
    "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%m-%d-%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d", "%m/%d/%y",
    "%d/%m/%y", "%d.%m.%y", "%d-%m-%y", "%b %d, %Y", "%d %b %Y", "%B %d, %Y", "%d %B %Y",
    "%d-%b-%Y", "%d-%b-%y", "%b %d %Y", "%B %d %Y", "%a %b %d %Y", "%Y-%m", "%b %Y", "%B %Y",
    "%b-%y", "%a, %d %b %Y", "%d/%b/%Y",
)  # fmt: skip
_HOURS = (
    "", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", " %H:%M:%S.%f", " %H:%M:%S %z",
    ":%H:%M:%S %z", ":%H:%M:%S",
)  # fmt: skip
_WORDS = {"y": "year", "m": "month", "b": "month", "d": "day"}
ISO = "ISO"


@dataclass(frozen=True)
class Numbers:
    """How the numbers of a column are written.

    ``decimal`` is the decimal mark, ``units`` what most have before and after them, "" for nothing;
    with ``multiples`` the letters k, M, B after a number stand for thousands, millions and so on.
    """

    decimal: str = "."
    units: tuple[str, str] = ("", "")
    multiples: bool = False

    @classmethod
    def learn(cls, cells: Mapping[str, int]) -> Numbers:
        """Decide by all the cells, given with their counts, what a comma and a unit mean."""
        marks, money, units = Counter[str](), Counter[str](), Counter[str]()
        for cell, count in cells.items():
            if match := _matched(cell):
                money[_folded(match["money"])] += count
                units[match["unit"] or ""] += count
                if mark := _decimal_mark(_BLANKS.sub("", match["body"])):
                    marks[mark] += count
        multiples = len(units) > 1 and units.keys() - {""} <= _MULTIPLES.keys()
        del money[""], units[""]
        common = [_folded(most[0][0]) if (most := u.most_common(1)) else "" for u in (money, units)]
        return cls("," if marks[","] > marks["."] else ".", (common[0], common[1]), multiples)

    def __call__(self, cell: str) -> float:
        """The number in a cell; NaN for a word that says "no value", infinity for no number."""
        plain, thousands = _PLAIN[self.decimal]
        usual = cell.strip().removeprefix(self.units[0]).removesuffix(self.units[1]).rstrip()
        if plain.fullmatch(usual) and not self.multiples:  # most cells, in a tenth of the time
            return float(usual.replace(thousands, "").replace(",", "."))
        if cell.strip().lower() in NO_NUMBER:
            return math.nan
        if clock := _CLOCK.fullmatch(cell.strip()):
            sign, hours, minutes, seconds, half = clock.groups(default="0")
            hour = int(hours) if half == "0" else int(hours) % 12 + 12 * (half in "pP")
            size = hour + int(minutes) / 60 + float(seconds.replace(",", ".")) / 3600
            return -size if sign == "-" else size
        match = _matched(cell)
        unit, factor = (match["unit"] or "") if match else "", 1.0
        if self.multiples:
            factor, unit = _MULTIPLES.get(unit, 1.0), ""
        # Another unit than that of the column makes it another number.
        if match is None or any(
            own and _folded(own) != usual
            for own, usual in zip((match["money"], unit), self.units, strict=True)
        ):
            return math.inf
        body, mark = _BLANKS.sub("", match["body"]), "." if self.decimal == "," else ","
        groups = rf"\d{{1,3}}(\{mark}\d{{2,3}})*(?<=\d{{3}})(?!\d|\{mark})"
        if (mark in body and not re.match(groups, body)) or body.count(self.decimal) > 1:
            return math.inf
        size = float(body.replace(mark, "").replace(",", ".")) * factor
        signs = match["open"] and "-", match["sign"], match["late"], match["trail"]
        return -size if "-" in signs else size

    @property
    def shown(self) -> str:
        """What is special about them, in words."""
        said = [f" in {unit}" for unit in self.units if unit and not self.multiples]
        said += [" with decimal commas"] if self.decimal == "," else []
        return "".join([*said, *[" with k, M for thousands, millions"] * self.multiples])


def _matched(cell: str) -> re.Match[str] | None:
    """The parts of a written number, without footnote marks."""
    match = _NUMBER.fullmatch(_NOTE.sub("", cell.strip().translate(_MINUS)).strip())
    return match if match and bool(match["open"]) == bool(match["close"]) else None


def _folded(unit: str | None) -> str:
    """A unit as it is compared with others."""
    return _BLANKS.sub("", unit or "").casefold().translate({0xB2: "2", 0xB3: "3"})


def _decimal_mark(body: str) -> str:
    """The mark that must be the decimal one in a number, "" if that is not sure.

    "1,234" may be a thousand or one and a bit; "1,23", "0,234", "1.234,5" and "1.234.567" are sure.
    """
    body = re.split("[eE]", body)[0]
    last = max(body.rfind("."), body.rfind(","))
    if last < 0:
        return ""
    mark, before, after = body[last], body[:last], body[last + 1 :]
    if mark in before:
        return "," if mark == "." else "."
    sure = not before.isdigit() or len(after) != 3 or before == "0" or len(before) > 3
    return mark if sure else ""


def _marks(text: str) -> set[str]:
    """The marks between the parts of a date."""
    return {*re.sub(r"%[A-Za-z]|[+-]\d\d:?\d\d$", "", text)} & {*"/.,:-"}


@lru_cache(100_000)  # strptime takes long, and a column is read more than once
def _seconds(form: str, text: str) -> tuple[float, float]:
    try:
        if form == ISO:
            if len(text) < 8 or text.isdigit() != (len(text) == 8):
                return math.nan, math.nan
            moment = datetime.fromisoformat(text)
        else:
            moment = datetime.strptime(text, form)
    except ValueError:
        return math.nan, math.nan
    wall = (moment.replace(tzinfo=None) - _DAY_ZERO) / timedelta(seconds=1)
    ahead = moment.utcoffset() if moment.tzinfo not in (None, UTC) else None
    return wall - (ahead.total_seconds() if ahead else 0.0), wall


@dataclass(frozen=True)
class Dates:
    """How the dates of a column are written: ``ISO``, or a form that strptime knows."""

    form: str = ISO

    @classmethod
    def learn(cls, cells: Mapping[str, int]) -> Dates:
        """The form that reads most cells."""
        some = [cell for cell in cells if cell.strip().lower() not in NO_NUMBER]
        some = some[:: max(1, len(some) // tuning.DATE_TRIALS)]
        best, read = cls(), 0
        for form in (ISO, *(day + hour for day in _DAYS for hour in _HOURS)):
            dates = cls(form)
            alike = _marks(form) in map(_marks, some[:5])  # strptime takes long to say no
            found = sum(map(dates.reads, some)) if alike or form == ISO else 0
            if found > read:
                best, read = dates, found
            if read == len(some):
                break
        return best

    def __call__(self, cell: str) -> tuple[float, float]:
        """Seconds since 1970, and the same on the clock on the wall; NaN if it is no date."""
        return _seconds(self.form, " ".join(cell.split()))

    def reads(self, cell: str) -> bool:
        """Whether a cell is a date, or says that there is none."""
        return cell.strip().lower() in NO_NUMBER or not math.isnan(self(cell)[0])

    @property
    def shown(self) -> str:
        """The form in words."""
        parts = re.findall("%[YymbBd]", self.form)
        return ", ".join(_WORDS[part[1].lower()] for part in parts) or ISO
