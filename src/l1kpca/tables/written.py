"""Numbers and dates as people write them: learn the format of a column, then read its cells."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from l1kpca import tuning

NO_VALUE = frozenset(  # words that say "no value" in any column, in small letters
    ["", "-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "?", "??", "na", "n/a", "#n/a",
     "n.a.", "n.a", "<na>", "nan", "nat", "null"]
)  # fmt: skip
ERRORS = frozenset(["#null!", "#value!", "#div/0!", "#ref!", "#name?", "#num!"])  # of spreadsheets
NO_NUMBER = NO_VALUE | frozenset(  # for numbers and dates; a category may be "none"
    ["none", "nil", "unknown", "unk", "missing", "not available", "not known", "not applicable",
     "not reported", "undefined", "unspecified", "not specified", "tbd", "tba"]
)  # fmt: skip

_MINUS = str.maketrans("\u2212\u2013\u2010\u2011\ufe63\uff0d", "------")
_NOTE = re.compile(
    r"(?:[*\u2020\u2021\u00a7\u00b9\u2070\u2074-\u2079]|\s*\[\w{1,3}\]|(?<=\d)[\u00b2\u00b3]"
    r"|\s*(?:\u00b1|\+/-)\s*[\d.,]+)+$"
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
_FAMILIES: tuple[dict[str, float], ...] = (
    {"mg": 1e-6, "g": 1e-3, "kg": 1.0, "t": 1e3, "oz": 0.028349523125, "lb": 0.45359237,
     "lbs": 0.45359237},
    {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3, "in": 0.0254, "ft": 0.3048, "yd": 0.9144,
     "mi": 1609.344},
    {"ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "hr": 3600.0, "hrs": 3600.0},
    {"ml": 1e-3, "cl": 1e-2, "dl": 0.1, "l": 1.0},
    {"wh": 1e-3, "kwh": 1.0},
    {"b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
)  # fmt: skip
DAY = 86_400.0
_DAY_ZERO = datetime(1970, 1, 1)
_DAYS = (
    "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%m-%d-%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d", "%m/%d/%y",
    "%d/%m/%y", "%d.%m.%y", "%d-%m-%y", "%b %d, %Y", "%d %b %Y", "%B %d, %Y", "%d %B %Y",
    "%d-%b-%Y", "%d-%b-%y", "%b %d %Y", "%B %d %Y", "%a %b %d %Y", "%Y-%m", "%b %Y", "%B %Y",
    "%b-%y", "%a, %d %b %Y", "%d/%b/%Y", "%b-%d-%Y",
)  # fmt: skip
_HOURS = (
    "", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", " %H:%M:%S.%f", " %H:%M:%S %z",
    ":%H:%M:%S %z", ":%H:%M:%S",
)  # fmt: skip
_CTIME = "%a %b %d %H:%M:%S %Y"
_FORMS = ("ISO", *(day + hour for day in _DAYS for hour in _HOURS), _CTIME)
_PLACES = (("%d/%m", "%m/%d"), ("%d-%m", "%m-%d"))  # of day and month, which marks do not tell
_MOST_FORMS = 5
_QUARTER = re.compile(r"(\d{4})[ -]?Q([1-4])|Q([1-4])[ /-]?(\d{4})", re.IGNORECASE)
_ENDINGS = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b|(?<=[A-Za-z])\.")
_WORDS = {"y": "year", "m": "month", "b": "month", "d": "day"}
ISO = "ISO"
_COMPACT = (8, 12, 14)  # digits of 20240131, and with the time of day


def shortened(text: str) -> str:
    """The beginning of a text, in quotes."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


@dataclass(frozen=True)
class Numbers:
    """How the numbers of a column are written."""

    decimal: str = "."
    units: tuple[str, str] = ("", "")  # what most have before and after them
    multiples: bool = False  # whether k, M, B stand for thousands, millions, billions
    beside: tuple[str, ...] = ()  # other units, converted if they measure the same

    @classmethod
    def learn(cls, cells: Mapping[str, int]) -> "Numbers":
        """Decide from all cells, with their counts, what a comma and a unit mean."""
        marks, money, units = Counter[str](), Counter[str](), Counter[str]()
        for cell, count in cells.items():
            if match := matched(cell):
                money[_folded(match["money"])] += count
                units[match["unit"] or ""] += count
                if mark := _decimal_mark(_BLANKS.sub("", match["body"])):
                    marks[mark] += count
        multiples = len(units) > 1 and units.keys() - {""} <= _MULTIPLES.keys()
        folded = Counter[str]()
        for unit, count in units.items() if not multiples else ():
            folded[_folded(unit)] += count
        del money[""], folded[""]
        before, after = ([u for u, _ in found.most_common()] for found in (money, folded))
        common = "".join(before[:1]), "".join(after[:1])
        decimal = "," if marks[","] > marks["."] else "."
        return cls(decimal, common, multiples, (*before[1:], *after[1:]))

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
        match = matched(cell)
        unit, factor = (match["unit"] or "") if match else "", 1.0
        if self.multiples:
            factor, unit = _MULTIPLES.get(unit, 1.0), ""
        elif found := _factor(_folded(unit), self.units[1]):
            factor, unit = found, ""
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
        said = [f" in {unit}" for unit in self.units if unit]
        converted = [unit for unit in self.beside if _factor(unit, self.units[1])]
        said += [f", {', '.join(converted)} converted"] if converted else []
        said += [" with decimal commas"] if self.decimal == "," else []
        return "".join([*said, *[" with k, M for thousands, millions"] * self.multiples])


def matched(cell: str) -> re.Match[str] | None:
    """The parts of a number, without footnote marks."""
    match = _NUMBER.fullmatch(_NOTE.sub("", cell.strip().translate(_MINUS)).strip())
    return match if match and bool(match["open"]) == bool(match["close"]) else None


def _folded(unit: str | None) -> str:
    return _BLANKS.sub("", unit or "").casefold().translate({0xB2: "2", 0xB3: "3"})


def _factor(unit: str, other: str) -> float | None:
    """What turns one unit into another that measures the same."""
    sizes: dict[str, float] = next((family for family in _FAMILIES if other in family), {})
    return sizes[unit] / sizes[other] if unit in sizes else None


def _decimal_mark(body: str) -> str:
    """The decimal mark of a number, "" if it is not sure as in "1,234", unlike in "1.234,5"."""
    body = re.split("[eE]", body)[0]
    last = max(body.rfind("."), body.rfind(","))
    if last < 0:
        return ""
    mark, before, after = body[last], body[:last], body[last + 1 :]
    if mark in before:
        return "," if mark == "." else "."
    sure = not before.isdigit() or len(after) != 3 or before == "0" or len(before) > 3
    return mark if sure else ""


def _marks(text: str) -> frozenset[str]:
    return frozenset({*re.sub(r"%[A-Za-z]|[+-]\d\d:?\d\d$", "", text)} & {*"/.,:-"})


@lru_cache(100_000)  # strptime takes long, and a column is read more than once
def _seconds(form: str, text: str) -> tuple[float, float]:
    try:
        if form == ISO:
            if len(text) < 8 or text.isdigit() != (len(text) in _COMPACT):
                return math.nan, math.nan
            compact = text.isdigit() and len(text) > 8
            moment = datetime.fromisoformat(f"{text[:8]}T{text[8:]}" if compact else text)
        else:
            moment = datetime.strptime(text, form)
    except ValueError:
        return math.nan, math.nan
    wall = (moment.replace(tzinfo=None) - _DAY_ZERO) / timedelta(seconds=1)
    return wall - (moment.utcoffset() or timedelta(0)).total_seconds(), wall


@dataclass(frozen=True)
class Dates:
    """How the dates of a column are written: ``ISO``, or a form that strptime knows."""

    form: str = ISO
    others: tuple[str, ...] = ()  # forms of cells that the first cannot read
    either: bool = False  # whether no cell tells the day from the month

    @classmethod
    def learn(cls, cells: Mapping[str, int]) -> "Dates":
        """The few forms that read most cells; between the same marks, the day has one place."""
        some = [_tidy(cell) for cell in cells if cell.strip().lower() not in NO_NUMBER]
        some = some[:: max(1, len(some) // tuning.DATE_TRIALS)]
        found = [_forms_of(some, apart) for apart in itertools.product(*_PLACES)]
        forms, n_left = min(found, key=lambda pair: pair[1])
        either = any(n == n_left and other != forms for other, n in found)
        return cls(forms[0], tuple(forms[1:]), either)

    def __call__(self, cell: str) -> tuple[float, float]:
        """Seconds since 1970, and on the clock on the wall; NaN and infinity as in `Numbers`."""
        none = math.nan if cell.strip().lower() in NO_NUMBER else math.inf
        read = (_seconds(form, _tidy(cell)) for form in (self.form, *self.others))
        return next((found for found in read if not math.isnan(found[0])), (none, math.nan))

    def written(self, moment: str) -> str:
        """A moment of ISO 8601 as the column has it."""
        return moment if self.form == ISO else datetime.fromisoformat(moment).strftime(self.form)

    @property
    def shown(self) -> str:
        """The forms in words."""
        orders: dict[str, None] = {}
        for form in (self.form, *self.others):
            parts = re.findall("%[YymbBd]", form)
            orders[", ".join(_WORDS[part[1].lower()] for part in parts) or ISO] = None
        doubt = "; no cell tells the day from the month" if self.either else ""
        return "; ".join(orders) + doubt


def _tidy(cell: str) -> str:
    """A date without blanks, dots and endings; of a quarter, the first day."""
    text = " ".join(_ENDINGS.sub("", cell).split())
    if quarter := _QUARTER.fullmatch(text):
        year, number = quarter[1] or quarter[4], int(quarter[2] or quarter[3])
        return f"{year}-{3 * number - 2:02}-01"
    return text


def _forms_of(cells: list[str], apart: tuple[str, ...]) -> tuple[list[str], int]:
    """Forms that read cells, none that begins with ``apart``, and how many they cannot read."""
    forms: list[str] = []
    left = cells
    while left and len(forms) < _MOST_FORMS:
        marks = {*map(_marks, left)}  # strptime takes long to say no
        tried = [f for f in _FORMS if (f == ISO or _marks(f) in marks) and not f.startswith(apart)]
        unread = [[cell for cell in left if math.isnan(_seconds(f, cell)[0])] for f in tried]
        best = min(range(len(tried)), key=lambda place: len(unread[place]))
        if len(unread[best]) == len(left):
            break
        forms, left = [*forms, tried[best]], unread[best]
    return forms or [ISO], len(left)
