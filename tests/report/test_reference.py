"""Promises in a report: the bound beside the slider, p-values, and answers about reference rows."""

import base64
import re
from io import StringIO
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.support.wait import WebDriverWait

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.report import report
from l1kpca.report.content import report_of
from l1kpca.report.ranking import cases_of, summarize, suspects


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    reference = rng.normal(size=(400, 3))
    reference[:8] *= 9
    X = rng.normal(size=(120, 3))
    X[:12] *= 9
    detector = KernelPCAOutlierDetector(contamination=0, calibration=0.5, random_state=0)
    detector.fit(reference)
    cases, compared = (cases_of(detector, rows) for rows in (X, reference))
    summary = summarize(cases, "the batch", fdr=0.2)
    return detector, X, summary, report_of(summary, reference=compared), compared


@pytest.fixture
def page(made, desktop, tmp_path):
    desktop.open(made[3].save(tmp_path / "r.html"))
    yield desktop
    assert desktop.errors() == []
    assert desktop.requests_to_elsewhere() == []


def test_the_facts_are_what_the_detector_says(made):
    detector, X, summary, made_report, compared = made
    facts = made_report.facts["promise"]
    order = np.argsort(summary.ranks)
    p = np.frombuffer(base64.b64decode(facts["p_values"]), "<f4")
    np.testing.assert_allclose(p, detector.p_values(X)[order], rtol=1e-6)
    most = np.frombuffer(base64.b64decode(facts["most_false"]), "<u4")
    np.testing.assert_array_equal(most, detector.most_false(X)[order])
    rows = suspects(compared)
    assert [row["row"] for row in made_report.facts["suspects"]] == [row["row"] for row in rows]
    assert [row["row"] - 1 for row in rows] == detector.calibration_.suspects(20).tolist()


@pytest.mark.parametrize("count", [1, 10, 60])
def test_the_slider_shows_the_bound(page, made, count):
    page.type_into("#flag-first", str(count))
    page.find("#cutoff-title").click()
    detector, X, summary = made[:3]
    most = detector.most_false(X)[np.argsort(summary.ranks)[count - 1]]
    says = page.text("#cutoff-says")
    assert f"{count} of 120 rows flagged" in says
    assert f"With 95% confidence, at most {most} of them {'is' if most == 1 else 'are'}" in says
    shown = page.column("p")[:5]
    expected = np.sort(detector.p_values(X))[:5]
    np.testing.assert_allclose(np.array(shown, dtype=float), expected, rtol=1e-3)
    assert "Rows were compared with 200 reference rows." in page.texts(".promise")


def test_answers_become_a_file(page, made):
    assert not page.find("#answers").is_displayed()
    rows = page.driver.find_elements("css selector", "#suspects tbody tr")
    assert len(rows) == 20
    for place, answer in ((0, "outlier"), (1, "ordinary"), (4, "don\u2019t know"), (1, "outlier")):
        buttons = rows[place].find_elements("css selector", "button")
        next(button for button in buttons if button.text == answer).click()
    pressed = rows[1].find_elements("css selector", "[aria-pressed=true]")
    assert [button.text for button in pressed] == ["outlier"]
    assert page.text("#answers-say") == "3 of 20 rows answered, 2 confirmed as outliers."
    link = page.find("#answers")
    assert link.is_displayed()
    assert link.get_attribute("download") == "answers.csv"
    frame = pd.read_csv(StringIO(unquote(link.get_attribute("href").partition(",")[2])))
    asked = made[3].facts["suspects"]
    numbers = [asked[place]["row"] for place in (0, 1, 4)]
    assert frame.to_dict("list") == {"row": numbers, "label": [1, 1, -1]}


def test_answers_from_the_buttons_change_the_p_values_of_the_next_run(desktop, program, tmp_path):
    """From the page's buttons through the saved file to `calibrate --labels` and new p-values."""
    rng = np.random.default_rng(3)
    names = ("table.csv", "reference.csv", "model.skops", "report.html", "scores.csv")
    table, reference, model, page, scores = (tmp_path / name for name in names)
    for path, n_rows, n_odd in ((reference, 400, 10), (table, 60, 5)):
        rows = rng.normal(size=(n_rows, 3))
        rows[:n_odd] *= 9
        pd.DataFrame(rows, columns=["a", "b", "c"]).to_csv(path, index=False)

    def p_values():
        program("score", model, table, "--out", scores, "--force", "--quiet")
        return pd.read_csv(scores)["p_value"].to_numpy()

    program(
        "detect", table, "--reference", reference, "--report", page, "--save", model, "--quiet"
    )  # fmt: skip
    before = p_values()
    desktop.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    desktop.open(page)
    n_reference = int(desktop.texts(".promise")[0].split()[4])
    confirmed = []
    for row in desktop.driver.find_elements("css selector", "#suspects tbody tr"):
        number = int(row.find_element("css selector", "td").text)
        odd = number <= 10
        row.find_element("xpath", f".//button[text()='{'outlier' if odd else 'ordinary'}']").click()
        confirmed += [number] if odd else []
    assert confirmed
    desktop.find("#answers").click()
    answers = tmp_path / "answers.csv"
    WebDriverWait(desktop.driver, 10).until(lambda _: answers.exists())
    program("calibrate", model, reference, "--labels", answers, "--quiet")
    after, n_left = p_values(), n_reference - len(confirmed)
    as_odd_before, as_odd_after = before * (n_reference + 1) - 1, after * (n_left + 1) - 1
    fewer = np.rint(as_odd_before - as_odd_after)
    # Confirmed outliers no longer count: all of them beyond ordinary rows, some beyond odd ones.
    assert (fewer[5:] == len(confirmed)).all()
    assert 0 < fewer[:5].max() <= len(confirmed)
    assert (after[5:] < before[5:]).all()
    assert desktop.errors() == []


def test_on_a_phone(dark_phone, made, tmp_path):
    dark_phone.open(made[3].save(tmp_path / "r.html"))
    assert dark_phone.driver.execute_script("return document.body.scrollWidth") <= 390
    assert dark_phone.errors() == []


def test_a_line_below_which_most_are_ordinary(desktop, tmp_path):
    X = np.random.default_rng(0).normal(size=(500, 8))
    detector = KernelPCAOutlierDetector(L1KernelPCA(8), rule="paper", contamination=0.1).fit(X)
    desktop.open(report(detector, X).save(tmp_path / "e.html"))
    assert "most of the flagged rows may be ordinary" in desktop.text(".promise")


@pytest.mark.parametrize("n_far", [1, 20])
def test_what_stands_out_is_told_from_what_may_be_ordinary(desktop, tmp_path, n_far):
    """The page and its slider say it in the same words."""
    X = np.random.default_rng(0).normal(size=(500, 8))
    X[:n_far] += 25
    detector = KernelPCAOutlierDetector(L1KernelPCA(8), rule="paper", contamination=0.2).fit(X)
    desktop.open(report(detector, X).save(tmp_path / "e.html"))
    number = r"(\d+) rows are unlikely to be" if n_far > 1 else "(row) is not"
    but = f"estimate, the first {number} ordinary, but most of the other flagged rows may be"
    said = re.search(but, desktop.text(".promise"))[1]
    assert n_far == 1 or n_far <= int(said) <= 1.1 * n_far + 1, "one in ten may be ordinary"
    desktop.type_into("#flag-first", "99")
    desktop.find("#cutoff-title").click()
    first = "first is not" if n_far == 1 else f"first {said} are unlikely to be"
    assert f"the {first} ordinary" in desktop.text("#cutoff-says")


def test_without_reference_rows_the_slider_shows_an_estimate(desktop, tmp_path):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(480, 8)), rng.uniform(20, 30, size=(20, 8))])
    detector = KernelPCAOutlierDetector(L1KernelPCA(8), rule="paper").fit(X[:480])
    share = detector.estimated_false_share(X)
    desktop.open(report(detector, X).save(tmp_path / "e.html"))
    desktop.type_into("#flag-first", "20")
    desktop.find("#cutoff-title").click()
    at = share[np.argsort(detector.score_samples(X))[19]]
    assert f"By a rough estimate, {100 * at:.0f}% of them are" in desktop.text("#cutoff-says")
    scores = -detector.score_samples(X)
    at_line = share[np.argmin(np.where(scores > -detector.offset_, scores, np.inf))]
    assert at_line <= 0.5
    assert f"{at_line:.0%} of the flagged rows are ordinary." in desktop.text(".promise")
    assert desktop.driver.find_elements("css selector", "#reference") == []
