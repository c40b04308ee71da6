"""Reports as a reader sees them: made by the command line, opened in a real browser."""

import base64
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.report import report

RUINED = [3, 20, 50, 77]
MARKUP = "<img src=x onerror=window.hacked=1>"
CLOSING = "</script><script>window.hacked=1</script>"


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    t = rng.normal(size=100)
    frame = pd.DataFrame(
        {
            "case": [f"case-{i:03d}" for i in range(100)],
            "length": 10 + t + 0.1 * rng.normal(size=100),
            "width": 5 - t + 0.1 * rng.normal(size=100),
            "weight": rng.normal(size=100).round(2),
            "color": rng.choice(["blue", "green"], size=100),
            "bad": 0,
        }
    )
    frame.loc[RUINED, "length"] += [40.0, -35.0, 50.0, 45.0]
    frame.loc[RUINED, "bad"] = 1
    frame.loc[10, "weight"] = np.nan
    return frame


@pytest.fixture(scope="module")
def files(frame, program, tmp_path_factory):
    """The page that the command line writes, and its scores."""
    folder = tmp_path_factory.mktemp("report")
    frame.to_csv(folder / "data.csv", index=False)
    page, scores = folder / "report.html", folder / "scores.csv"
    program(
        "detect", folder / "data.csv", "--label", "bad", "--id", "case",
        "--report", page, "--out", scores, "--quiet",
    )  # fmt: skip
    return page, pd.read_csv(scores).sort_values("rank", ignore_index=True)


@pytest.fixture
def page(desktop, files):
    """A report, opened afresh; nothing may go wrong or be asked for while it is used."""
    desktop.open(files[0])
    yield desktop
    assert desktop.errors() == []
    assert desktop.requests_to_elsewhere() == []


@pytest.fixture(scope="module")
def scores(files):
    return files[1]


def test_what_is_seen_first(page, scores):
    flagged = int(scores["flag"].sum())
    assert page.driver.title.startswith("Rows that look wrong in ")
    assert page.text("#headline") == f"{flagged} of 100 rows look wrong"
    assert page.column("id") == scores["case"].head(20).tolist()
    assert page.column("rank") == [str(rank) for rank in range(1, 21)]
    assert f"{flagged} of 100 rows flagged" in page.text("#cutoff-says")
    assert "4 of 4" in " ".join(page.text("#truth").split())
    assert page.texts("pre code")[0].startswith("l1kpca detect ")


def test_no_jargon_before_how_it_was_done(page):
    seen = page.find("body").text.lower()
    assert "how it was done" in seen
    for word in ("component", "kernel", "norm", "leverage", "orthogonal", "converge", "precision"):
        assert word not in seen
    page.find("#method summary").click()
    assert "components of robust kernel PCA" in page.find("#method").text


def test_kinds_of_trouble_say_what_was_ruined_and_list_their_rows(page, frame):
    says = page.texts("#kinds .says")
    assert any(one.startswith("length is far above the usual ") for one in says)
    counts = [int(text) for text in page.texts("#kinds .count")]
    assert sum(counts) == int(page.text("#headline").split()[0])
    assert 1 <= len(counts) <= 6
    place = next(k for k, one in enumerate(says) if one.startswith("length is far above"))
    button = page.find(f"#kinds li:nth-child({place + 1}) button")
    button.click()
    assert len(page.column("id")) == counts[place]
    assert page.text("#detail-title").startswith(f"What is odd about {page.column('id')[0]} ")
    assert "For example " + page.column("id")[0] in button.text
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert len(page.column("id")) == 20


def flag_first(page, count):
    page.driver.execute_script(
        """
        const field = document.getElementById("flag-first");
        field.value = arguments[0];
        field.dispatchEvent(new Event("change"));
        """,
        count,
    )


def test_kinds_cells_and_table_follow_the_line(desktop, frame, tmp_path):
    rows = frame.drop(columns=["case", "bad"])
    detector = KernelPCAOutlierDetector(random_state=0).fit(rows)
    made = report(detector, rows)
    odd = np.asarray(detector.cells(rows).flagged).sum(axis=1)[
        np.argsort(detector.score_samples(rows), kind="stable")
    ]
    desktop.open(made.save(tmp_path / "r.html"))
    assert desktop.texts("#kinds .says") == [f"{kind['says']}." for kind in made.facts["kinds"]]
    counts = [str(len(kind["rows"])) for kind in made.facts["kinds"]]
    assert desktop.texts("#kinds .count") == counts
    desktop.find("#kinds button").click()
    for count in (0, 1, 4, 30, 100):
        flag_first(desktop, count)
        assert desktop.text("#headline") == f"{count} of 100 rows look wrong"
        counts = [int(text) for text in desktop.texts("#kinds .count")]
        assert sum(counts) == count
        assert desktop.find("#trouble").is_displayed() == (count > 0)
        cells = int(odd[:count].sum())
        assert (f"{cells} cell" if cells else "fit the pattern") in desktop.text("#lead")
        pressed = desktop.texts("#kinds [aria-pressed=true] .count")
        listed = int(desktop.text("#page-says").split(" of ")[1].split()[0])
        assert listed == (int(pressed[0]) if pressed else 100)
    desktop.find("#cutoff-reset").click()
    assert desktop.texts("#kinds .says") == [f"{kind['says']}." for kind in made.facts["kinds"]]
    assert desktop.errors() == []


def test_the_column_overview_follows_the_line(desktop, frame, tmp_path):
    """Shares are those of the explanations, bars those of the values of the flagged rows."""
    rows = frame.drop(columns=["case", "bad"])
    detector = KernelPCAOutlierDetector(random_state=0).fit(rows)
    order = np.argsort(detector.score_samples(rows), kind="stable")
    parts = np.maximum(np.asarray(detector.explain(rows)), 0)[order]
    parts /= parts.sum(axis=1, keepdims=True)
    desktop.open(report(detector, rows).save(tmp_path / "r.html"))
    for count in (1, 4, 30, 100):
        flag_first(desktop, count)
        shares = dict(
            zip(desktop.texts("#columns tbody th"), desktop.texts("#columns .blame b"), strict=True)
        )
        for name, expected in zip(rows.columns, parts[:count].mean(axis=0), strict=True):
            assert abs(int(shares[name].removesuffix("%")) - 100 * expected) <= 1
        labels = desktop.driver.execute_script(
            "return [...document.querySelectorAll('#columns svg')].map((e) => e.ariaLabel)"
        )
        holes = rows.iloc[order[:count]].isna().sum().to_dict()
        for label in labels:
            name = label.removeprefix("Histogram of ").split(" over ")[0]
            shown = int(label.split("; ")[1].split()[0])
            assert shown == count - holes[name]
        assert f"the {count} flagged rows" in desktop.text("#columns-hint")
    flag_first(desktop, 0)
    assert set(desktop.texts("#columns .blame b")) == {"0%"}
    assert desktop.driver.find_elements("css selector", "#columns .beyond") == []
    assert desktop.errors() == []


def test_the_reason_has_the_value_the_usual_range_and_what_was_expected(page, frame):
    reason = page.column("reason")[0]
    row = frame.set_index("case").loc[page.column("id")[0]]
    assert reason.startswith("length ")
    value, low, high, expected = re.fullmatch(
        r"length (\S+), usually (\S+) to (\S+); expected about (\S+)", reason
    ).groups()
    assert float(value) == pytest.approx(row["length"], rel=1e-5)
    assert np.allclose([float(low), float(high)], frame["length"].quantile([0.05, 0.95]), atol=0.1)
    assert float(low) < float(expected) < float(high)


def test_full_values_with_separators_are_found_by_search(desktop, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"paid": rng.normal(500, 9, size=60).round(2), "b": rng.normal(size=60)})
    frame.index = [f"invoice {i}" for i in range(60)]
    frame.loc["invoice 7", "paid"] = 91552.89
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    desktop.open(report(detector, frame).save(tmp_path / "r.html"))
    for text in ("91552.89", "91,552.89", "paid 91,552"):
        desktop.type_into("#search", text)
        assert desktop.column("id") == ["invoice 7"]
    assert desktop.column("reason")[0].startswith("paid 91,552.89, usually 48")
    assert desktop.errors() == []


@pytest.fixture(scope="module")
def houses(tmp_path_factory):
    """A page about years, categories and a price with scores far beyond the line."""
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(
        {"built": rng.integers(1930, 2020, size=n), "area": rng.gamma(4, 20, size=n)}
    )
    frame["price"] = (frame["area"] * 3000 * np.exp(rng.normal(0, 0.1, size=n))).round()
    frame["region"] = np.where(frame["area"] > frame["area"].median(), "North", "South")
    clean = frame.iloc[:300]
    detector = KernelPCAOutlierDetector(contamination=0, random_state=0).fit(clean)
    new = frame.iloc[300:].reset_index(drop=True)
    new.loc[:4, "price"] *= [1e5, 3e4, 1e4, 3e3, 1e3]
    new.loc[5, "built"] = 13
    new.loc[6, "region"] = "East"
    made = report(detector, new)
    return made, made.save(tmp_path_factory.mktemp("houses") / "r.html")


def test_years_have_no_separators(desktop, houses):
    desktop.open(houses[1])
    text = desktop.find("main").text
    assert re.search(r"built 13, usually 19\d\d to 20\d\d; expected about 19\d0", text)
    assert not re.search(r"\b[12],\d{3}\b(?!,)", text)


def test_scores_far_beyond_the_line_leave_room_for_the_others(desktop, dark_phone, houses):
    edges, counts = (np.array(houses[0].facts["histogram"][name]) for name in ("edges", "counts"))
    assert counts.sum() == 100
    assert counts[edges[1:] < houses[0].facts["cutoff"]].sum() >= 90
    for screen in (desktop, dark_phone):
        screen.open(houses[1])
        assert "axis is logarithmic" in screen.find("main").text
        boxes, plain, line = screen.driver.execute_script(
            """
            const box = (e) => {
              const found = e.getBoundingClientRect();
              return [found.left, found.right, found.top];
            };
            const all = (s) => [...document.querySelectorAll("#histogram " + s)].map(box);
            return [all("text"), all("rect.bar:not(.beyond)"), all(".cut")[0]];
            """
        )
        assert max(right for _, right, _ in plain) <= line[1] + 0.5
        labels = sorted(box for box in boxes if box[2] > line[2] + 100)
        assert len(labels) >= 3
        width = screen.driver.execute_script(
            "return document.getElementById('histogram').clientWidth"
        )
        assert labels[-1][1] <= labels[0][0] + width
        for (_, right, _), (left, _, _) in pairwise(labels):
            assert left > right
        assert screen.errors() == []


def test_a_category_is_neither_higher_nor_lower(desktop, houses):
    desktop.open(houses[1])
    place = desktop.texts(".heat thead th").index("region") + 2
    signs = set(desktop.texts(f".heat tbody td:nth-child({place})"))
    assert signs == {"", "\u2260"}
    assert "another category" in desktop.text("#heat-legend")


def test_an_example_does_not_contradict_its_kind(desktop, houses):
    desktop.open(houses[1])
    for kind in desktop.texts("#kinds li"):
        found = re.search(
            r" is (?:far )?(above|below) .*: ([\d,.]+), expected about ([\d,.]+)\.", kind
        )
        if found:
            value, expected = (float(part.replace(",", "")) for part in found.groups()[1:])
            assert (value > expected) == (found[1] == "above")


def test_export_of_flagged_rows(desktop, files, scores, frame, tmp_path):
    desktop.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    desktop.open(files[0])
    desktop.find("#export").click()
    target = tmp_path / "flagged_rows.csv"
    WebDriverWait(desktop.driver, 10).until(lambda _: target.exists())
    saved = pd.read_csv(target)
    flagged = scores[scores["flag"] == 1]
    assert saved["id"].tolist() == flagged["case"].tolist()
    assert saved["rank"].tolist() == flagged["rank"].tolist()
    np.testing.assert_allclose(saved["score"], flagged["score"], rtol=1e-6)
    worst = frame.set_index("case").loc[saved["id"][0]]
    assert (saved["column_1"][0], saved["value_1"][0]) == ("length", pytest.approx(worst["length"]))
    assert desktop.errors() == []


def test_columns_and_cells(page, frame):
    names = page.texts("#columns tbody th")
    assert sorted(names) == ["color", "length", "weight", "width"]
    cells = page.texts("#columns tbody tr:nth-child(1) td")
    assert names[0] == "length"
    shares = [int(text.removesuffix("%")) for text in page.texts("#columns .blame b")]
    assert shares == sorted(shares, reverse=True)
    assert abs(sum(shares) - 100) <= 2
    widths = page.driver.execute_script(
        "return [...document.querySelectorAll('#columns .track')].map((track) =>"
        " track.firstChild.getBoundingClientRect().width / track.getBoundingClientRect().width)"
    )
    np.testing.assert_allclose(widths, np.array(shares) / 100, atol=0.01)
    assert dict(zip(names, page.texts("#columns td:nth-child(6)"), strict=True)) == {
        "color": "category", "length": "number", "weight": "number", "width": "number",
    }  # fmt: skip
    missing = dict(zip(names, page.texts("#columns td:nth-child(5)"), strict=True))
    assert (missing["weight"], missing["length"], cells[-2]) == ("1%", "none", "none")
    assert len(page.texts("#columns svg[aria-label]")) == 4
    heads = page.texts(".heat thead th")
    assert set(heads) == set(names)
    assert page.texts(".heat tbody th")[0] == page.column("id")[0]
    hot = page.texts(".heat tbody tr:nth-child(1) td")
    value = frame.set_index("case").loc[page.column("id")[0], "length"]
    assert hot[heads.index("length")] == ("+" if value > 10 else "\u2212")


def test_sort(page, scores):
    page.find("[data-sort=id]").click()
    assert page.column("id") == [f"case-{i:03d}" for i in range(20)]
    assert page.find("th.id").get_attribute("aria-sort") == "ascending"
    page.find("[data-sort=id]").click()
    assert page.column("id") == [f"case-{i:03d}" for i in range(99, 79, -1)]


def test_filter_and_search(page, scores):
    page.choose("flagged")
    flagged = scores.loc[scores["flag"] == 1, "case"].tolist()
    assert page.column("id") == flagged[:20]
    page.choose("found")
    assert set(page.column("id")) == {f"case-{i:03d}" for i in RUINED}
    page.choose("missed")
    assert page.column("id") == []
    assert page.text("#page-says") == "No row is like that."
    page.choose("all")
    page.type_into("#search", "case-05")
    assert sorted(page.column("id")) == [f"case-05{i}" for i in range(10)]
    page.type_into("#search", "LENGTH ")
    assert page.column("id") == scores["case"].head(20).tolist()


def test_pages(page, scores):
    page.find("#next-page").click()
    assert page.column("id") == scores["case"][20:40].tolist()
    assert page.text("#page-says") == "21 to 40 of 100 rows"
    page.find("#previous-page").click()
    assert page.column("id") == scores["case"][:20].tolist()
    assert not page.find("#previous-page").is_enabled()


def test_click_a_row(page, scores, frame):
    page.type_into("#search", "case-020")
    page.find("#rows tbody tr").click()
    assert page.text("#detail-title") == "What is odd about case-020 (row 21)?"
    assert page.texts("#reasons .name")[0] == "length"
    value = float(page.texts("#reasons .value")[0].split("expected")[0])
    assert value == pytest.approx(frame.loc[20, "length"], rel=1e-3)
    says = page.find("#reasons .strip").get_attribute("aria-label")
    assert " is below the usual " in says
    assert any(
        text.startswith(("blue (", "green (")) for text in page.texts("#reasons .usual-text")
    )
    page.find("#method summary").click()
    rank = int(scores.loc[scores["case"] == "case-020", "rank"].item())
    assert f"Rank {rank} of 100" in page.text("#detail-facts")
    for canvas in ("#outlier-map", "#scores-plane"):
        label = page.find(canvas).get_attribute("aria-label")
        assert "case-020 (row 21) is at" in label


def test_click_in_a_map_selects_the_row_there(page):
    before = page.text("#detail-title")
    page.find("#method summary").click()
    page.driver.execute_script(
        """
        const canvas = document.getElementById("outlier-map");
        const frame = canvas.getBoundingClientRect();
        for (let y = 0; y < frame.height; y += 16) {
          for (let x = 60; x < frame.width; x += 16) {
            const at = { clientX: frame.left + x, clientY: frame.top + y };
            canvas.dispatchEvent(new MouseEvent("click", at));
          }
        }
        """
    )
    assert page.text("#detail-title") != before


@pytest.mark.parametrize("position", [0, 250, 600, 900, 1000])
def test_slider(page, scores, position):
    page.driver.execute_script(
        """
        const slider = document.getElementById("cutoff");
        slider.value = arguments[0];
        slider.dispatchEvent(new Event("input"));
        """,
        position,
    )
    low, high = np.cbrt(scores["score"].min()), np.cbrt(scores["score"].max())
    cutoff = (low + (high - low) * position / 1000) ** 3
    # Single precision in the page: at the ends, the extreme rows are on one side or the other.
    flagged = int(page.find("#flag-first").get_attribute("value"))
    nearly = (scores["score"] - cutoff).abs() < 1e-5 * cutoff
    assert abs(flagged - int((scores["score"] > cutoff).sum())) <= int(nearly.sum())
    hits = int(scores["bad"].head(flagged).sum())
    says = page.text("#cutoff-says")
    assert f"{flagged} of 100 rows flagged" in says
    assert f"They hold {hits} of the 4 known outliers; {flagged - hits} are false" in says
    assert page.text("#headline") == f"{flagged} of 100 rows look wrong"
    marked = page.texts("#rows tbody tr.flagged")
    assert len(marked) == min(flagged, 20)
    page.find("#cutoff-reset").click()
    assert f"{int(scores['flag'].sum())} of 100 rows flagged" in page.text("#cutoff-says")


def test_slider_by_keyboard_and_a_number_of_rows(page):
    slider = page.find("#cutoff")
    before = float(slider.get_attribute("value"))
    slider.send_keys(Keys.ARROW_LEFT)
    assert float(slider.get_attribute("value")) == before - 1
    field = page.find("#flag-first")
    field.clear()
    field.send_keys("7", Keys.ENTER)
    assert "7 of 100 rows flagged (7.0%)" in page.text("#cutoff-says")
    assert "of the 7 rows flagged here" in page.text("#comparison-says")


def test_keyboard(page, scores):
    page.find("body").send_keys(Keys.TAB)
    for _ in range(40):
        active = page.driver.switch_to.active_element
        if active.tag_name == "tr":
            break
        active.send_keys(Keys.TAB)
    assert active.find_element("css selector", "td.id").text == scores["case"][0]
    active.send_keys(Keys.ARROW_DOWN)
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert page.text("#detail-title").startswith(f"What is odd about {scores['case'][2]} ")
    assert page.find("#rows tbody tr[aria-selected=true] td.id").text == scores["case"][2]
    page.driver.switch_to.active_element.send_keys(Keys.END)
    assert page.text("#page-says") == "81 to 100 of 100 rows"
    page.driver.switch_to.active_element.send_keys(Keys.HOME)
    assert page.text("#page-says") == "1 to 20 of 100 rows"


def test_methods(page):
    page.find("#method summary").click()
    assert "Average precision" in page.text("#comparison-says")
    moved = page.driver.find_elements("css selector", "#moved tbody button")
    name = moved[0].text
    moved[0].click()
    assert page.text("#detail-title") == f"What is odd about {name}?"
    assert page.texts("#components tbody tr")
    assert "searches converged" in page.text("#convergence-body > p")


def test_dark_and_on_a_phone(dark_phone, files):
    dark_phone.open(files[0])
    width = dark_phone.driver.execute_script("return document.documentElement.scrollWidth")
    assert width <= 390
    background = dark_phone.find("body").value_of_css_property("background-color")
    assert max(int(part) for part in background.strip("rgba()").split(",")[:3]) < 64
    assert not dark_phone.find("th.truth").is_displayed()
    dark_phone.find("#rows tbody tr:nth-child(2)").click()
    top = dark_phone.driver.execute_script(
        "return document.getElementById('detail').getBoundingClientRect().top"
    )
    assert -1 < top < 844
    assert dark_phone.errors() == []


def test_hostile_text_is_shown_as_text(desktop, dark_phone, program, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=[MARKUP, CLOSING, "long" * 40])
    frame["<b>text</b>"] = rng.choice([MARKUP, "<!-- <script>"], size=40)
    frame["id"] = [f"{CLOSING}{i}" for i in range(40)]
    frame.loc[5, MARKUP] = 60.0
    source = tmp_path / "<img src=x onerror=alert(1)>.csv"
    frame.to_csv(source, index=False)
    program("detect", source, "--id", "id", "--report", tmp_path / "r.html", "--quiet")
    desktop.open(tmp_path / "r.html")
    assert desktop.driver.execute_script("return window.hacked === undefined")
    assert desktop.driver.execute_script("return document.images.length") == 0
    assert "<img src=x" in desktop.text(".kicker")
    assert set(desktop.texts("#reasons .name")) == {
        MARKUP, f"{CLOSING:.37}...", "<b>text</b>", f"{'long' * 40:.37}...",
    }  # fmt: skip
    assert desktop.column("id")[0].startswith("</script><script>window.hacked=1")
    desktop.type_into("#search", MARKUP[:8])
    assert len(desktop.column("rank")) == 20
    assert desktop.errors() == []
    assert desktop.requests_to_elsewhere() == []
    dark_phone.open(tmp_path / "r.html")
    assert dark_phone.driver.execute_script("return document.body.scrollWidth") <= 390


def test_a_hundred_thousand_rows(desktop, tmp_path):
    X = np.random.default_rng(0).normal(size=(100_000, 3))
    detector = KernelPCAOutlierDetector(max_samples=100, random_state=0).fit(X)
    desktop.open(report(detector, X).save(tmp_path / "many.html"))
    for _ in range(15):
        desktop.find("#next-page").click()
    desktop.find("#rows tbody tr").click()
    assert desktop.column("rank")[0] == "301"
    assert "computed for the first 300 rows of the ranking" in desktop.text("#detail-reasons")
    assert len(desktop.texts("#reasons .name")) == 3
    desktop.find("[data-sort=row]").click()
    assert desktop.column("row") == [str(row) for row in range(1, 21)]
    desktop.find("[data-sort=row]").click()
    assert desktop.column("row")[0] == "100,000"
    desktop.find("[data-sort=rank]").click()
    desktop.find("[data-sort=rank]").click()
    assert desktop.column("rank")[0] == "100,000"
    desktop.find("#rows tbody tr").click()
    assert "The page holds the cells of the first" in desktop.text("#detail-reasons")
    assert (
        "Drawn: 5,000 of 100,000 rows, the first ones of the list and some of the others."
        in desktop.text("#legend")
    )
    assert desktop.errors() == []


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((4, 2)),
        np.arange(3.0).reshape(3, 1),
        np.outer(np.arange(30.0), [1, 2]),
        np.r_[np.random.default_rng(0).normal(size=(30, 3)), [[1e9, -1e9, 0]]],
    ],
    ids=["alike", "three", "line", "far"],
)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_odd_rows_make_a_page_without_complaint(desktop, tmp_path, X, kernel):
    detector = KernelPCAOutlierDetector(L1KernelPCA(kernel=kernel), random_state=0).fit(X)
    desktop.open(report(detector, X).save(tmp_path / "odd.html"))
    for row in range(min(3, len(X))):
        desktop.find(f"#rows tbody tr:nth-child({row + 1})").click()
        assert "NaN" not in desktop.find("main").text
    assert len(desktop.column("rank")) == min(len(X), 20)
    assert desktop.errors() == []


def test_a_page_in_a_notebook_runs_in_its_frame(desktop, files, tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 3))
    made = report(KernelPCAOutlierDetector(random_state=0).fit(X), X)
    (tmp_path / "notebook.html").write_text(
        f"<!DOCTYPE html><title>n</title>{made._repr_html_()}", encoding="utf-8"
    )
    desktop.open(tmp_path / "notebook.html")
    desktop.driver.switch_to.frame(0)
    assert desktop.column("rank")[:3] == ["1", "2", "3"]
    desktop.driver.switch_to.default_content()
    assert desktop.errors() == []


CONTRAST = Path(__file__).with_name("contrast.js").read_text()


@pytest.mark.parametrize("screen", ["desktop", "dark_phone"])
def test_text_has_the_contrast_that_readers_need(request, files, screen):
    page = request.getfixturevalue(screen)
    page.open(files[0])
    page.driver.execute_script("document.getElementById('method').open = true")
    assert page.driver.execute_script(CONTRAST) == []


def test_everything_has_a_name_for_a_screen_reader(page):
    page.find("#method summary").click()
    nameless = page.driver.execute_script(Path(__file__).with_name("nameless.js").read_text())
    assert nameless == []
    assert page.driver.execute_script("return document.querySelectorAll('h1').length") == 1
    roles = page.driver.execute_script(
        "return [...document.querySelectorAll('#rows tbody tr, #rows tbody td')].map((e) => e.role)"
    )
    assert set(roles) == {"row", "gridcell"}


def test_print(page):
    page.driver.execute_script("document.getElementById('method').open = true")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shapes = page.driver.execute_script(
            "return [...document.querySelectorAll('canvas')].map((c) =>"
            " [c.width / c.height, c.clientWidth / c.clientHeight])"
        )
        for drawn, shown in shapes:
            assert shown == pytest.approx(drawn, rel=0.02)
        assert not page.find("#search").is_displayed()
        assert not page.find("#rows-help").is_displayed()
        widths = page.driver.execute_script(
            """
            return ["beforeprint", "afterprint"].map((moment) => {
              window.dispatchEvent(new Event(moment));
              return document.querySelector("#histogram svg").viewBox.baseVal.width;
            });
            """
        )
        assert widths[0] == 690 < widths[1]
        pdf = page.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
        assert base64.b64decode(pdf).startswith(b"%PDF")
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
