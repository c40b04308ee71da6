"""Small files as people have them, one oddity each and several mixed, with what must come out."""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import feather, parquet
from scipy.io import savemat

NAMES = ("town", "size", "price", "rooms")
ROWS = [
    ("Aue", "50.5", "1200", "2"), ("Berg", "61.25", "900", "3"), ("Calw", "43.0", "1500", "1"),
    ("Aue", "75.5", "1850", "4"), ("Berg", "58.0", "1310", "2"), ("Calw", "49.75", "990", "2"),
    ("Aue", "66.5", "1640", "3"), ("Berg", "52.0", "1120", "2"), ("Calw", "81.25", "2100", "4"),
    ("Aue", "47.5", "1050", "1"), ("Berg", "69.0", "1700", "3"), ("Calw", "55.5", "1275", "2"),
]  # fmt: skip
TOWN, SIZE, PRICE, ROOMS = map(list, zip(*ROWS, strict=True))
BASE = {
    "town": TOWN,
    "size": list(map(float, SIZE)),
    "price": list(map(int, PRICE)),
    "rooms": list(map(int, ROOMS)),
}
UNNAMED = dict(zip(("x0", "x1", "x2", "x3"), BASE.values(), strict=True))
NUMBERS = {name: BASE[name] for name in ("size", "price", "rooms")}
MATRIX = np.array([*map(np.array, NUMBERS.values())]).T


@dataclass
class Case:
    """A file, what is said about it, the columns that must come out, and notes that must."""

    content: bytes
    columns: dict = field(default_factory=lambda: BASE)
    notes: tuple = ()
    said: dict = field(default_factory=dict)
    name: str = "table.csv"


def lines(rows=ROWS, sep=",", names=NAMES, end="\n"):
    return "".join(sep.join(row) + end for row in ([names] if names else []) + list(rows))


def text(content, encoding="utf-8", **others):
    return Case(content.encode(encoding), **others)


def changed(**columns):
    return {**BASE, **columns}


def packed(writer, content=None):
    out = io.BytesIO()
    writer(out, (lines() if content is None else content).encode())
    return out.getvalue()


def zipped(out, *members):
    with zipfile.ZipFile(out, "w") as archive:
        for i, member in enumerate(members):
            archive.writestr(f"rows{i}.csv", member)
        archive.writestr("__MACOSX/._rows0.csv", "junk")


def arrow_bytes(writer, table=None):
    out = io.BytesIO()
    writer(table if table is not None else pa.table(BASE), out)
    return out.getvalue()


def numpy_bytes(writer, *arrays, **named):
    out = io.BytesIO()
    writer(out, *arrays, **named)
    return out.getvalue()


def json_lines(rows=None):
    rows = pd.DataFrame(BASE).to_dict("records") if rows is None else rows
    return "".join(json.dumps(row) + "\n" for row in rows)


def workbook(above=0, **sheets):
    """Sheets of an Excel file, the first one with a title that spans its columns."""
    out = io.BytesIO()
    with pd.ExcelWriter(out) as writer:
        for place, (name, sheet) in enumerate(sheets.items()):
            sheet.to_excel(writer, sheet_name=name, index=False, startrow=0 if place else above)
        if above:
            first = writer.sheets[next(iter(sheets))]
            first["A1"] = "Rents of 2024"
            first.merge_cells("A1:D1")
    return out.getvalue()


def merged_names():
    """A sheet whose names are in two lines, one of which has those of groups."""
    out, sheet = io.BytesIO(), pd.DataFrame(BASE)
    with pd.ExcelWriter(out) as writer:
        sheet.to_excel(writer, sheet_name="rents", index=False, header=False, startrow=2)
        own = writer.sheets["rents"]
        own["A1"], own["B1"], own["D1"], own["B2"], own["C2"] = "town", "Flat", "rooms", *NAMES[1:3]
        for cells in ("A1:A2", "B1:C1", "D1:D2"):
            own.merge_cells(cells)
    return out.getvalue()


FRENCH = ["Orl\u00e9ans", *TOWN[1:]]
ACCENTED = [(FRENCH[0], *ROWS[0][1:]), *ROWS[1:]]
GERMAN = [(t, s.replace(".", ","), p, r) for t, s, p, r in ROWS]
POINTS = [(t, s.replace(".", ","), f"{int(p):,}".replace(",", "."), r) for t, s, p, r in ROWS]
HOLED = [("Aue", "", "1200", "2"), *ROWS[1:]]
HOLE = changed(size=[np.nan, *BASE["size"][1:]])
CODES = [f"{7 + i:04d}" for i in range(12)]
LONG = [(town * 150, *rest) for town, *rest in ROWS]
LEFT_OUT = "are left out: 1"

CASES = {
    # --- separators, quotes, line ends
    "commas": text(lines()),
    "semicolons": text(lines(sep=";")),
    "tabs": text(lines(sep="\t"), name="table.tsv"),
    "bars": text(lines(sep="|")),
    "carets": text(lines(sep="^")),
    "colons": text(lines(sep=":")),
    "control characters": text(lines(sep="\x01")),
    "blanks": text(lines(sep=" "), name="table.txt"),
    "columns lined up by blanks": text(
        "".join("".join(f"{c:>9}" for c in row) + "\n" for row in [NAMES, *ROWS]), name="table.dat"
    ),
    "blanks after commas": text(lines(sep=", ")),
    "a suffix that nobody knows": text(lines(), name="table.data"),
    "no suffix": text(lines(), name="table"),
    "every cell in quotes": text(lines([[f'"{c}"' for c in row] for row in ROWS])),
    "single quotes": text(lines([(f"'{t}, D'", *rest) for t, *rest in ROWS]),
                          columns=changed(town=[f"{t}, D" for t in TOWN])),
    "quoted separators": text(lines([(f'"{t}, D"', *rest) for t, *rest in ROWS]),
                              columns=changed(town=[f"{t}, D" for t in TOWN])),
    "quoted quotes": text(lines([('"the ""old"" mill"', *ROWS[0][1:]), *ROWS[1:]]),
                          columns=changed(town=['the "old" mill', *TOWN[1:]])),
    "quoted line ends": text(lines([('"Aue\nam Bach"', *ROWS[0][1:]), *ROWS[1:]]),
                             columns=changed(town=["Aue\nam Bach", *TOWN[1:]])),
    "an inch": text(lines([('5" pipe', *ROWS[0][1:]), *ROWS[1:]]),
                    columns=changed(town=['5" pipe', *TOWN[1:]])),
    "Windows line ends": text(lines(end="\r\n")),
    "old Mac line ends": text(lines(end="\r")),
    "no end of the last line": text(lines().rstrip("\n")),
    "empty lines": text(lines().replace("\n", "\n\n")),
    # --- encodings
    "UTF-8": text(lines(ACCENTED), columns=changed(town=FRENCH)),
    "UTF-8 with a mark": text(lines(), "utf-8-sig"),
    "UTF-16": text(lines(ACCENTED), "utf-16", columns=changed(town=FRENCH),
                   notes=("taken to be in utf-16",)),
    "UTF-16 without a mark": text(lines(ACCENTED), "utf-16-be", columns=changed(town=FRENCH),
                                  notes=("taken to be in utf-16-be",)),
    "UTF-16 with tabs, as Excel writes": text(lines(sep="\t", end="\r\n"), "utf-16",
                                              notes=("taken to be in utf-16",), name="t.txt"),
    "Windows-1252": text(lines([("5 \u20ac", *ROWS[0][1:]), *ROWS[1:]]), "cp1252",
                         columns=changed(town=["5 \u20ac", *TOWN[1:]]),
                         notes=("taken to be in cp1252",)),
    "Latin-1": text(lines(ACCENTED), "latin-1", columns=changed(town=FRENCH),
                    notes=("taken to be in cp1252",)),
    "Latin-1 that Windows has not": text(lines([("\x81", *ROWS[0][1:]), *ROWS[1:]]), "latin-1",
                                         columns=changed(town=["\x81", *TOWN[1:]]),
                                         notes=("taken to be in latin-1",)),
    "Latin-1 after much ASCII": text(
        lines(LONG * 200 + ACCENTED), "latin-1", notes=("taken to be in cp1252",),
        columns={"town": [row[0] for row in LONG] * 200 + FRENCH,
                 **{name: cells * 201 for name, cells in NUMBERS.items()}},
    ),
    "Latin-1 after much ASCII, without names": text(
        lines(LONG * 200 + ACCENTED, names=()), "latin-1",
        notes=("taken to be in cp1252", "no line of column names"),
        columns={"x0": [row[0] for row in LONG] * 200 + FRENCH, **{
            f"x{i}": cells * 201 for i, cells in enumerate(NUMBERS.values(), start=1)}},
    ),
    "Latin-1 after much ASCII, and a short line": text(
        lines(LONG * 200 + ACCENTED) + "Aue,50.5\n", "latin-1",
        notes=("taken to be in cp1252", "fewer than 4 cells"),
        columns={"town": [row[0] for row in LONG] * 200 + FRENCH + ["Aue"],
                 "size": NUMBERS["size"] * 201 + [50.5],
                 "price": NUMBERS["price"] * 201 + [None],
                 "rooms": NUMBERS["rooms"] * 201 + [None]},
    ),
    "one broken byte in UTF-8": Case(
        lines([("Orl\u00e9ans", *ROWS[0][1:]), *ROWS[1:]]).encode().replace(b"Berg", b"B\xffrg", 1),
        changed(town=[FRENCH[0], "B\ufffdrg", *TOWN[2:]]),
        ("bytes that are not UTF-8 text are shown as",),
    ),
    "no UTF-8 at all": Case(
        lines([("\u5927\u962a", *ROWS[0][1:]), *ROWS[1:]]).encode("shift_jis"),
        changed(town=["\u0091\u00e5\u008d\u00e3", *TOWN[1:]]), ("taken to be in latin-1",),
    ),
    "an encoding that is said": text(lines(ACCENTED), "cp1250", columns=changed(town=FRENCH),
                                     said={"encoding": "cp1250"}, notes=("to be in cp1250",)),
    # --- names
    "no names": text(lines(names=None), columns=UNNAMED, notes=("called x0 to x3",)),
    "no names, as is said": text(lines([("a", "b", "c", "d"), *ROWS], names=None),
                                 said={"header": False}, notes=("called x0 to x3",),
                                 columns={"x0": ["a", *TOWN], "x1": ["b", *SIZE],
                                          "x2": ["c", *PRICE], "x3": ["d", *ROOMS]}),
    "years as names": text(lines(names=("town", "2018", "2019", "2020")),
                           columns=dict(zip(("town", "2018", "2019", "2020"), BASE.values(),
                                            strict=True))),
    "nothing but years as names": text(
        lines([row[1:] for row in ROWS], names=("2018", "2019", "2020")),
        columns=dict(zip(("2018", "2019", "2020"), NUMBERS.values(), strict=True)),
    ),
    "blanks around names": text(lines(names=(" town ", "size ", " price", "rooms"))),
    "quotes around names": text(lines(names=("'town'", "'size'", "'price'", "'rooms'"))),
    "the same name twice": text(
        lines(names=("town", "size", "size", "rooms")),
        columns=dict(zip(("town", "size", "size_2", "rooms"), BASE.values(), strict=True)),
        notes=("columns with the same name were renamed: size_2",),
    ),
    "an empty name": text(
        lines(names=("town", "size", "", "rooms")),
        columns=dict(zip(("town", "size", "column 3", "rooms"), BASE.values(), strict=True)),
    ),
    "an index that pandas wrote": text(
        pd.DataFrame(BASE).to_csv(), columns={"column 1": list(range(12)), **BASE},
        notes=("the first column has no name and is taken as the id of the rows",),
    ),
    "row names that R wrote": text(
        lines([(f"r{i}", *row) for i, row in enumerate(ROWS)]),
        columns={"column 1": [f"r{i}" for i in range(12)], **BASE},
        notes=("the first column has no name and is taken as the id of the rows",),
    ),
    "names in a comment": text("# made by hand\n# town size price rooms\n"
                               + lines(sep=" ", names=None)),
    "a sign before the names": text("#" + lines()),
    "names of an ARFF file": text(
        "% rents\n@RELATION rents\n@attribute town {Aue,Berg,Calw}\n@attribute 'size' numeric\n"
        "@ATTRIBUTE price numeric\n@attribute rooms integer\n@data\n" + lines(names=None),
        notes=("lines before the table are left out: 7",), name="table.arff",
    ),
    "line ends in names": text(
        lines(names=("town", '"size\nin m2"', "price", "rooms")),
        columns=dict(zip(("town", "size in m2", "price", "rooms"), BASE.values(), strict=True)),
    ),
    # --- what is around and between the rows
    "a line about the table that is nearly as wide": text(
        "Rents; of 2024; by town\n\n" + lines(sep=";"), notes=("before the table are left out: 2",)
    ),
    "a title": text("Rents of 2024\n\n" + lines(), notes=("before the table are left out: 2",)),
    "a title with commas": text("Rents of 2024,,,\n" + lines(),
                                notes=("before the table are left out: 1",)),
    "groups above the names": text(
        ",Building,Building,Building\n" + lines(),
        notes=("before the table are left out: 1 (the first: ',Building,Building,Building')",),
    ),
    "names alike in groups": text(
        "Rents of 2024\n\nfrom,Flat,,Rent,\n,m2,n,EUR,n\n"
        + lines([(*row, row[3]) for row in ROWS], names=None),
        columns=dict(zip(("from", "Flat m2", "Flat n", "Rent EUR", "Rent n"),
                         (*BASE.values(), BASE["rooms"]), strict=True)),
        notes=("before the table are left out: 2",),
    ),
    "names in merged cells": Case(
        merged_names(), name="table.xlsx",
        columns=dict(zip(("town", "Flat size", "Flat price", "rooms"), BASE.values(),
                         strict=True)),
    ),
    "a first row of missing cells below a column without a name": text(
        lines([("Auw", "", "", ""), *ROWS], names=("", *NAMES[1:])),
        columns={"column 1": ["Auw", *TOWN], **{name: [None, *BASE[name]] for name in NUMBERS}},
        notes=("the first column has no name and is taken as the id",),
    ),
    "a row of units": text(
        lines([("", "m2", "EUR", "n"), *ROWS]),
        notes=("below the names are words where the columns have numbers, as units are",
               "left out: 1 (the first: ',m2,EUR,n')"),
    ),
    "a row of units in brackets, after an empty line": text(
        lines([("[text]", "[m2]", "[EUR]", "[-]"), *ROWS]).replace("rooms\n", "rooms\n\n"),
        notes=("left out: 1 (the first: '[text],[m2],[EUR],[-]')",),
    ),
    "units and descriptions": text(
        lines([("", "m2", "EUR", ""), ("where", "floor", "per month", "number of"), *ROWS],
              sep=";"),
        notes=("left out: 2 (the first: ';m2;EUR;')",),
    ),
    "a word in the only column of numbers is a cell, not a unit": text(
        lines([("Dorf", "big"), *((town, size) for town, size, *_ in ROWS)], names=NAMES[:2]),
        columns={"town": ["Dorf", *TOWN], "size": ["big", *SIZE]},
    ),
    "a first row of holes and words": text(
        lines([("Dorf", "NA", "unknown", "-"), *ROWS]),
        columns={"town": ["Dorf", *TOWN], "size": [np.nan, *BASE["size"]],
                 "price": ["unknown", *PRICE], "rooms": ["-", *ROOMS]},
    ),
    "a row of totals": text(
        lines() + "Total,,16635,29\n",
        columns={"town": [*TOWN, "Total"], "size": [*BASE["size"], np.nan],
                 "price": [*BASE["price"], 16635], "rooms": [*BASE["rooms"], 29]},
    ),
    "comments before": text("# from the town hall\n# 2024\n" + lines()),
    "comments between": text(lines().replace("\nBerg", "\n# page 2\nBerg", 1),
                             notes=(f"comment lines {LEFT_OUT} (the first: '# page 2')",)),
    "a footer": text(lines() + "\nSource: the town hall\n", notes=(f"have 4 {LEFT_OUT}",)),
    "rows without a value": text(lines() + ",,,\n,,,\n",
                                 notes=("rows without any value are left out: 2",)),
    "commas at the end of lines": text(lines(end=",\n"), notes=(LEFT_OUT,)),
    "commas at the end of rows": text(",".join(NAMES) + "\n" + lines(names=None, end=",\n"),
                                      notes=(LEFT_OUT,)),
    "a comma at the end of the names": text(",".join(NAMES) + ",\n" + lines(names=None)),
    "empty columns at the end": text(lines(end=",,,\n"), notes=("are left out: 3",)),
    "a short row": text(lines() + "Dorf,44.5\n",
                        columns={"town": [*TOWN, "Dorf"], "size": [*BASE["size"], 44.5],
                                 "price": [*BASE["price"], None], "rooms": [*BASE["rooms"], None]},
                        notes=("fewer than 4 cells: the rest is missing: 1",)),
    "a long row": text(lines() + "Dorf,44.5,7,3,9\n", notes=(f"more than 4 cells {LEFT_OUT}",)),
    # --- cells
    "leading zeros": text(lines([(c, *row[1:]) for c, row in zip(CODES, ROWS, strict=True)]),
                          columns=changed(town=CODES)),
    "more digits than a number has": text(
        lines([(f"9{i:020d}", *row[1:]) for i, row in enumerate(ROWS)]),
        columns=changed(town=[f"9{i:020d}" for i in range(12)]),
    ),
    "holes": text(lines(HOLED), columns=HOLE),
    "words for holes": text(lines([("Aue", "NA", "1200", "2"), *ROWS[1:]]), columns=HOLE),
    "a word for holes that is said": text(lines([("Aue", "none given", "1200", "2"), *ROWS[1:]]),
                                          columns=HOLE, said={"missing": ("none given",)}),
    "blanks around numbers": text(lines([[f" {c} " for c in row] for row in ROWS]),
                                  columns=changed(town=[f" {t} " for t in TOWN])),
    "decimal commas": text(lines(GERMAN, sep=";")),
    "decimal commas between tabs": text(lines(GERMAN, sep="\t")),
    "decimal commas in quotes": text(
        lines([(t, f'"{s}"', p, r) for t, s, p, r in GERMAN]), said={"decimal": ","}
    ),
    "points for thousands": text(lines(POINTS, sep=";"), said={"decimal": ",", "thousands": "."}),
    "commas for thousands": text(
        lines([(t, s, f'"{int(p):,}"', r) for t, s, p, r in ROWS]), said={"thousands": ","}
    ),
    "commas between the digits in quotes": text(
        lines([(t, s, f'"1,{int(p) % 90 + 10},{int(p) % 1000:03d}"', r) for t, s, p, r in ROWS]),
        columns=changed(price=[f"1,{p % 90 + 10},{p % 1000:03d}" for p in BASE["price"]]),
    ),
    "exponents": text(lines([(t, f"{float(s):.4e}", p, r) for t, s, p, r in ROWS])),
    "a word among numbers": text(lines([("Aue", "big", "1200", "2"), *ROWS[1:]]),
                                 columns=changed(size=["big", *SIZE[1:]])),
    "a late word among numbers": text(
        lines(LONG * 700 + [("Aue", "big", "1200", "2")]),
        columns={"town": [*[row[0] for row in LONG] * 700, "Aue"], "size": [*SIZE * 700, "big"],
                 "price": [*BASE["price"] * 700, 1200], "rooms": [*BASE["rooms"] * 700, 2]},
    ),
    "a truth value": text(lines([("Aue", "50.5", "1200", "true"), *ROWS[1:]]),
                          columns=changed(rooms=["true", *ROOMS[1:]])),
    "formulas": text(lines([("=1+1", *ROWS[0][1:]), *ROWS[1:]]),
                     columns=changed(town=["=1+1", *TOWN[1:]])),
    # --- packed, and other kinds
    "gzip": Case(gzip.compress(lines().encode()), name="table.csv.gz"),
    "gzip without its suffix": Case(gzip.compress(lines().encode())),
    "bzip2": Case(bz2.compress(lines().encode()), name="table.csv.bz2"),
    "xz": Case(lzma.compress(lines().encode()), name="table.csv.xz"),
    "zip": Case(packed(zipped), name="table.zip"),
    "packed JSON lines": Case(gzip.compress(json_lines().encode()), name="table.jsonl.gz"),
    "JSON lines": text(json_lines(), name="table.jsonl"),
    "JSON lines with holes": text(
        json_lines([{"town": "Aue", "price": 1200, "rooms": 2, "size": None},
                    *pd.DataFrame(BASE).to_dict("records")[1:]]),
        columns={name: HOLE[name] for name in ("town", "price", "rooms", "size")},
        name="table.ndjson",
    ),
    "a line that is no JSON": text("{broken\n" + json_lines(), name="table.jsonl",
                                   notes=(f"no JSON object {LEFT_OUT}",)),
    "JSON in one list": text(json.dumps(pd.DataFrame(BASE).to_dict("records"), indent=1),
                             name="table.json"),
    "JSON by columns": text(pd.DataFrame(BASE).to_json(), name="table.json"),
    "JSON by rows": text(pd.DataFrame(BASE).to_json(orient="index"), name="table.json"),
    "JSON with the names apart": text(pd.DataFrame(BASE).to_json(orient="split"),
                                      name="table.json"),
    "JSON of lists": text(json.dumps(BASE, indent=1), name="table.json"),
    "JSON of lists of cells": text(
        json.dumps([list(NAMES), *map(list, zip(*BASE.values(), strict=True))]), name="table.json"
    ),
    "JSON with the table inside": text(
        json.dumps({"status": "ok", "rows": pd.DataFrame(BASE).to_dict("records")}),
        name="table.json",
    ),
    "text that is called a workbook": text(lines(sep="\t"), name="table.xls"),
    "nested JSON lines": text(
        json_lines([{"town": t, "of": {"size": s, "more": {"price": p, "rooms": r}}}
                    for t, s, p, r in zip(*BASE.values(), strict=True)]),
        columns=dict(zip(("town", "of.size", "of.more.price", "of.more.rooms"), BASE.values(),
                         strict=True)),
        name="table.jsonl",
    ),
    "Excel": Case(workbook(rents=pd.DataFrame(BASE)), name="table.xlsx"),
    "Excel without its suffix": Case(workbook(rents=pd.DataFrame(BASE)), name="table"),
    "Excel with an error": Case(
        workbook(rents=pd.DataFrame(changed(size=["#REF!", *BASE["size"][1:]]))),
        changed(size=["#REF!", *[f"{float(s):g}" for s in SIZE[1:]]]), name="table.xlsx",
    ),
    "Excel with a title and another sheet": Case(
        workbook(2, rents=pd.DataFrame(BASE), notes=pd.DataFrame({"a": ["b"]})),
        notes=("the sheet 'rents' is read, not: notes", "lines before the table are left out: 2"),
        name="table.xlsx",
    ),
    "Excel with a cover": Case(
        workbook(cover=pd.DataFrame({"Rents": ["of 2024"]}), rents=pd.DataFrame(BASE)),
        notes=("the sheet 'rents' is read, not: cover",), name="table.xlsx",
    ),
    "Parquet": Case(arrow_bytes(parquet.write_table), name="table.parquet"),
    "Parquet without its suffix": Case(arrow_bytes(parquet.write_table), name="table"),
    "Parquet with an index": Case(
        arrow_bytes(parquet.write_table, pa.Table.from_pandas(pd.DataFrame(BASE, index=CODES))),
        {**BASE, "index": CODES}, name="table.pq",
    ),
    "Parquet with words stored once": Case(
        arrow_bytes(parquet.write_table,
                    pa.Table.from_pandas(pd.DataFrame(BASE).astype({"town": "category"}))),
        name="table.parquet",
    ),
    "Parquet with the same name twice": Case(
        arrow_bytes(parquet.write_table, pa.table(list(NUMBERS.values()), names=["a", "b", "a"])),
        dict(zip(("a", "b", "a_2"), NUMBERS.values(), strict=True)),
        ("columns with the same name were renamed: a_2",), name="table.parquet",
    ),
    "Feather": Case(arrow_bytes(feather.write_feather), name="table.feather"),
    "Arrow": Case(arrow_bytes(lambda t, out: feather.write_feather(t, out, "uncompressed")),
                  name="table.arrow"),
    ".npy of another byte order": Case(
        numpy_bytes(np.save, MATRIX.astype(">f8")), name="table.npy",
        columns=dict(zip(("x0", "x1", "x2"), NUMBERS.values(), strict=True)),
    ),
    ".npy of long numbers": Case(
        numpy_bytes(np.save, MATRIX.astype(np.longdouble)), name="table.npy",
        columns=dict(zip(("x0", "x1", "x2"), NUMBERS.values(), strict=True)),
    ),
    ".npy": Case(numpy_bytes(np.save, MATRIX), name="table.npy",
                 columns=dict(zip(("x0", "x1", "x2"), NUMBERS.values(), strict=True))),
    ".npz": Case(numpy_bytes(np.savez, X=MATRIX), name="table.npz",
                 columns=dict(zip(("x0", "x1", "x2"), NUMBERS.values(), strict=True))),
    ".mat": Case(numpy_bytes(savemat, {"X": MATRIX}), name="table.mat",
                 columns=dict(zip(("x0", "x1", "x2"), NUMBERS.values(), strict=True))),
    # --- several at once
    "a German export": text(
        "Mieten;;;\n\nOrt;Gr\u00f6\u00dfe;Gr\u00f6\u00dfe;Zimmer;\n"
        + lines(GERMAN, sep=";", names=None, end=";\r\n") + "Summe 12\r\n", "cp1252",
        columns=dict(zip(("Ort", "Gr\u00f6\u00dfe", "Gr\u00f6\u00dfe_2", "Zimmer"), BASE.values(),
                         strict=True)),
        notes=("taken to be in cp1252", "lines before the table", "renamed", "one cell"),
    ),
    "an export of a spreadsheet": Case(
        gzip.compress(("Rents,,,,\n,,,,\n" + lines(HOLED, end=",\r\n") + ",,,,\r\n")
                      .encode("utf-16")),
        HOLE, ("taken to be in utf-16", "before the table", "without any value", "without a name"),
        name="rents.csv.gz",
    ),
    "codes, comments, holes and short rows": text(
        "# codes\n" + lines([(c, *row[1:]) for c, row in zip(CODES, HOLED, strict=True)], sep="\t")
        + "# end\n0099\t1.5\n", name="codes.tsv",
        columns={"town": [*CODES, "0099"], "size": [*HOLE["size"], 1.5],
                 "price": [*BASE["price"], None], "rooms": [*BASE["rooms"], None]},
        notes=("comment lines are left out: 1", "the rest is missing: 1"),
    ),
}  # fmt: skip
