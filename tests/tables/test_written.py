"""Numbers and dates as people write them: what is written is what is read, or nothing is."""

import math
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l1kpca.tables.written import ERRORS, NO_NUMBER, Dates, Numbers

SIZES = np.r_[np.random.default_rng(0).lognormal(5, 3, 60), 0, 1, 1000, 1234567.25].round(2)
VALUES = (SIZES * np.resize([1, 1, -1], len(SIZES))).tolist()


def german(text):
    return text.translate(str.maketrans(",.", ".,"))


WRITTEN = {
    "plain": lambda v: f"{v}",
    "exponents": lambda v: f"{v:.9e}",
    "thousands": lambda v: f"{v:,.2f}",
    "dollars": lambda v: f"${v:,.2f}".replace("$-", "-$"),
    "dollars, late minus": lambda v: f"$ {v:,.2f}",
    "accounting": lambda v: f"(${-v:,.2f})" if v < 0 else f"${v:,.2f}",
    "euros": lambda v: german(f"{v:,.2f}") + " €",
    "reais": lambda v: "R$ " + german(f"{v:,.2f}"),
    "percent": lambda v: f"{v:.2f}%",
    "percent, decimal comma": lambda v: f"{v:.2f} %".replace(".", ","),
    "German": lambda v: german(f"{v:,.2f}"),
    "Swiss": lambda v: f"{v:,.2f}".replace(",", "'"),
    "French": lambda v: f"{v:,.2f}".replace(",", "\u202f").replace(".", ","),
    "square meters": lambda v: f"{v} m2",
    "square meters, raised": lambda v: f"{v} m²",
    "speed": lambda v: f"{v}km/h",
    "blanks": lambda v: f"  {v}\u00a0",
    "footnote": lambda v: f"{v}*" if v > 5 else f"{v} [a]",
    "raised footnote": lambda v: f"{v}¹",
    "minus sign": lambda v: f"{v}".replace("-", "\u2212"),
    "minus at the end": lambda v: f"{-v}-" if v < 0 else f"{v}",
    "plus": lambda v: f"{v:+}",
}


@pytest.mark.parametrize("way", WRITTEN)
def test_a_column_is_read_as_it_is_written(way):
    cells = [WRITTEN[way](value) for value in VALUES]
    numbers = Numbers.learn(Counter(cells))
    np.testing.assert_allclose([numbers(cell) for cell in cells], VALUES, rtol=1e-6, atol=0)


@given(st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1), st.sampled_from([*WRITTEN]))
def test_what_is_sure_is_right_in_any_column(values, way):
    cells = [WRITTEN[way](float(value)) for value in values]
    numbers = Numbers.learn(Counter(cells))
    if any(value % 1 for value in values):  # two digits after a mark say what it is
        found = [numbers(cell) for cell in cells]
        np.testing.assert_allclose(found, [float(value) for value in values], rtol=1e-6, atol=0)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1,234", "12,345"], [1234, 12345]),
        (["1,234", "0,345"], [1.234, 0.345]),
        (["1.234", "12.345"], [1.234, 12.345]),
        (["1.234", "1.234.567"], [1234, 1234567]),
        (["1.234", "3,5"], [1234, 3.5]),
        (["12,34,567", "1,000"], [1234567, 1000]),
        (["5k", "3.2M", "7"], [5000, 3.2e6, 7]),
        (["€110.5M", "€600K"], [110.5e6, 600e3]),
        (["12:30", "1:00:36", "-0:30"], [12.5, 1.01, -0.5]),
        (["12:30 PM", "1:15 am", "12:00 AM", "11:45 p.m."], [12.5, 1.25, 0, 23.75]),
        (["<0.01", "~ 5", ">=7"], [0.01, 5, 7]),
        ([".5", "5.", ",5"], [0.5, 5, math.inf]),
        (["12 kg", "300 g", "7.5 kg", "9 KG", "2 t"], [12, 0.3, 7.5, 9, 2000]),
        (["5 m", "80 cm", "3 m", "12 in"], [5, 0.8, 3, 0.3048]),
        (["90 min", "2 h", "45 min", "30 s"], [90, 120, 45, 0.5]),
        (
            ["2 kg", "5 mg", "3 t", "4 oz", "6 lb", "9 lbs"],
            [2, 5e-6, 3000, 0.11339809, 2.72155422, 4.08233133],
        ),
        (
            ["2 m", "5 mm", "3 km", "4 ft", "6 yd", "9 mi"],
            [2, 0.005, 3000, 1.2192, 5.4864, 14484.1],
        ),
        (["3 s", "5 ms", "2 hr", "4 hrs", "9 sec"], [3, 0.005, 7200, 14400, 9]),
        (["2 l", "5 ml", "3 cl", "7 dl"], [2, 0.005, 0.03, 0.7]),
        (["2 kWh", "500 Wh"], [2, 0.5]),
        (["3 MB", "2 kB", "7 B", "4 GB", "1 TB"], [3, 0.002, 7e-6, 4000, 1e6]),
        (["5.1 ± 0.3", "4 +/- 0.25"], [5.1, 4]),
        (["5 m", "80 kg", "3 m"], [5, math.inf, 3]),
    ],
)
def test_a_mark_means_the_same_in_the_whole_column(cells, values):
    numbers = Numbers.learn(Counter(cells))
    assert [numbers(cell) for cell in cells] == pytest.approx(values)


@pytest.mark.parametrize(
    "cell",
    [
        "abc",
        "1,2,3",
        "12 34",
        "(5",
        "5)",
        "1_000",
        "10-20",
        "5 kg",
        "0x1F",
        "1.2.3",
        "A12",
        "3 of 5",
    ],
)
def test_what_is_no_number_of_the_column_is_none(cell):
    numbers = Numbers.learn(Counter({"1.5 m": 50, "7 m": 50, cell: 1}))
    assert numbers(cell) == math.inf


@pytest.mark.parametrize("word", sorted(NO_NUMBER))
def test_words_for_no_value_are_holes(word):
    assert math.isnan(Numbers()(f" {word.upper()} "))
    assert math.isnan(Dates()(word)[0])


@pytest.mark.parametrize("error", sorted(ERRORS))
def test_an_error_of_a_spreadsheet_is_no_value_and_no_number(error):
    assert Numbers()(error.upper()) == Dates()(error.upper())[0] == math.inf


MOMENTS = [datetime(2019, 1, 31, 23, 59, 58) + timedelta(hours=31 * i) for i in range(40)]


@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y%m%d", "%d.%m.%Y", "%m/%d/%Y",
     "%d/%m/%Y", "%d/%m/%Y %H:%M:%S", "%m/%d/%y %I:%M %p", "%b %d, %Y", "%d %B %Y", "%d-%b-%y",
     "%Y/%m/%d", "%d/%b/%Y:%H:%M:%S", "%Y-%m",
     "%b-%d-%Y", "%a %b %d %H:%M:%S %Y", "%Y%m%d%H%M%S", "%Y%m%d%H%M"],
)  # fmt: skip
def test_dates_are_read_as_they_are_written(form):
    cells = [moment.strftime(form) for moment in MOMENTS]
    dates = Dates.learn(Counter(cells))
    for cell in cells:
        moment = datetime.strptime(cell, form).replace(tzinfo=UTC)
        assert dates(cell) == (moment.timestamp(), moment.timestamp()), (cell, dates)


def test_a_zone_moves_the_moment_and_not_the_clock_on_the_wall():
    noon = datetime(2020, 5, 17, 12, tzinfo=UTC).timestamp()
    dates = Dates.learn(Counter(["2020-05-17T12:00:00+02:00", "2020-05-17T12:00:00Z"]))
    assert dates("2020-05-17T12:00:00+02:00") == (noon - 7200, noon)
    assert dates("2020-05-17T12:00:00Z") == (noon, noon)


@pytest.mark.parametrize("cell", ["31.02.2020", "hello", "12", "2020-13-01", "1234567"])
def test_what_is_no_date_is_none(cell):
    dates = Dates.learn(Counter(["01.02.2020", "28.02.2020", cell]))
    assert dates(cell)[0] == math.inf


def test_one_column_may_have_dates_in_a_few_forms():
    forms = ["%Y-%m-%d", "%d.%m.%Y", "%b %d, %Y", "%Y-%m-%d %H:%M"]
    pairs = [(moment, forms[i % 4]) for i, moment in enumerate(MOMENTS)]
    dates = Dates.learn(Counter(moment.strftime(form) for moment, form in pairs))
    for moment, form in pairs:
        written = moment.strftime(form)
        wanted = datetime.strptime(written, form).replace(tzinfo=UTC).timestamp()
        assert dates(written) == (wanted, wanted), (written, dates)
    assert dates.shown == "ISO; day, month, year; month, day, year"


@pytest.mark.parametrize("mark", ["/", "-"])
def test_day_and_month_have_one_order_in_a_column(mark):
    dates = Dates.learn(Counter([f"13{mark}04{mark}2020", f"04{mark}14{mark}2020"]))
    read = [math.isfinite(dates(f"{day}{mark}2020")[0]) for day in (f"13{mark}04", f"04{mark}14")]
    assert sorted(read) == [False, True]


def test_it_is_said_when_no_cell_tells_day_and_month_apart():
    cells, doubt = ["03/04/2020", "05/06/2021 10:00"], "no cell tells the day from the month"
    assert Dates.learn(Counter(cells)).shown == f"month, day, year; {doubt}"
    assert Dates.learn(Counter([*cells, "02/13/2020"])).shown == "month, day, year"
    assert Dates.learn(Counter([*cells, "13/02/2020"])).shown == "day, month, year"
    assert Dates.learn(Counter(["03.04.2020", "05.06.2020"])).shown == "day, month, year"


@pytest.mark.parametrize("cell", ["March 3rd, 2021", "3rd March 2021", "March 3, 2021"])
def test_counted_days_are_days(cell):
    day = datetime(2021, 3, 3, tzinfo=UTC).timestamp()
    assert Dates.learn(Counter([cell]))(cell) == (day, day)


@pytest.mark.parametrize("cells", [["2021Q1", "2021-Q4"], ["Q1 2021", "q4/2021"]])
def test_a_quarter_is_its_first_day(cells):
    dates = Dates.learn(Counter(cells))
    days = [datetime(2021, month, 1, tzinfo=UTC).timestamp() for month in (1, 10)]
    assert [dates(cell)[0] for cell in cells] == days


def test_a_reader_says_what_it_does():
    assert Numbers.learn(Counter({"5 kg": 2, "70 g": 1})).shown == " in kg, g converted"
    assert Numbers(",", ("", "m2")).shown == " in m2 with decimal commas"
    assert Numbers(multiples=True).shown == " with k, M for thousands, millions"
    assert Dates("%d.%m.%Y %H:%M").shown == "day, month, year"
    assert Dates().shown == "ISO"
