"""Measurements in files: what is read, and what is said about rows that cannot be."""

import numpy as np
import pytest

from stickslip.errors import IdentifyError
from stickslip.identify import read, write
from stickslip.tables import unit_factor


@pytest.fixture
def file(tmp_path):
    def made(text, encoding="utf-8"):
        path = tmp_path / "run.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return made


@pytest.mark.parametrize(
    "text",
    [
        "v,F\n0.1,-3\n0.2,-2.5\n",
        "\ufeffv,F\r\n0.1,-3\r\n0.2,-2.5\r\n",
        "# a comment\n\nv;F\n0.1;-3\n# another\n0.2;-2.5\n",
        "v\tF\n0.1\t-3\n0.2\t-2.5\n",
        "v   F\n0.1 -3\n0.2   -2.5\n",
        "v [m/s], F (N), remark\n1e-1, -3, first\n0.2, -2.5, second\n",
        "F/N,v/(m/s)\n-3,0.1\n-2.5,0.2\n",
        "v [mm/s],F [kN]\n100,-3e-3\n200,-2.5e-3\n",
    ],
)
def test_columns_by_name(file, text):
    table = read(file(text), ["v", "F"])
    assert table["v"] == pytest.approx([0.1, 0.2]) and table["F"] == pytest.approx([-3.0, -2.5])


def test_units_become_si_and_it_is_said(file):
    table = read(file("v [mm/s],F [kN],q\n100,-3,1\n"))
    assert table.units == {"v": "m/s", "F": "N", "q": ""}
    assert table.notes == ("v was in mm/s: it is in m/s now.", "F was in kN: it is in N now.")
    assert read(file("v [mm/s]\n100\n"), si=False)["v"].tolist() == [100.0]
    assert unit_factor("mm/s²") == ("m/s²", pytest.approx(1e-3)) and unit_factor("µm") == ("m", pytest.approx(1e-6))


def test_numbers_with_a_decimal_comma(file):
    path = file("v;F\n0,1;-3,5\n")
    assert read(path, decimal=",")["F"].tolist() == [-3.5]
    with pytest.raises(IdentifyError, match=r"line 2: '0,1' was found in the column 'v'.*decimal=','"):
        read(path)


def test_a_file_without_names(file):
    table = read(file("0.1,-3\n0.2,-2.5\n"), ["2"])
    assert table["2"].tolist() == [-3.0, -2.5]


BAD = "t,v,F\n0,0.1,-3\n1,0.2,oops\n2,0.3\n3,,-2\n4,nan,-2\n5,0.4,-2,9\n6,1_000,-2\n7,0.5,-2\n"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,0.2,oops", r"run.csv, line 2: 'oops' was found in the column 'F' where a number was expected"),
        ("2,0.3", r"line 2: 2 values were found where 3 were expected \(t, v, F\)"),
        ("3,,-2", "line 2: nothing was found in the column 'v'"),
        ("4,nan,-2", "line 2: 'nan' was found in the column 'v': it must be finite"),
        ("5,0.4,-2,9", "line 2: 4 values were found where 3"),
        ("6,1_000,-2", "'1_000' was found"),
    ],
)
def test_a_bad_row_is_named(file, row, message):
    with pytest.raises(IdentifyError, match=message):
        read(file(f"t,v,F\n{row}\n0,1,2\n"), ["v", "F"])


def test_bad_rows_are_left_out_and_counted(file):
    table = read(file(BAD), ["v", "F"], skip_bad=True)
    assert table["v"].tolist() == [0.1, 0.5]
    assert [reason.split(":")[0] for reason in table.skipped] == [f"line {n}" for n in (3, 4, 5, 6, 7, 8)]
    # Columns that are not asked for may hold anything.
    assert read(file("v,remark\n1,good\n2,bad\n"), ["v"])["v"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("velocity,F\n1,2\n", "no column 'v'; there are: velocity, F"),
        ("v,v\n1,2\n", "has 2 columns 'v'"),
        ("v,F\n", "no row that could be read"),
        ('v,F\n"1,2\n', "line 2: the row cannot be read"),
    ],
)
def test_files_that_cannot_be_used(file, text, message):
    with pytest.raises(IdentifyError, match=message):
        read(file(text), ["v"])


def test_files_that_are_no_text(file, tmp_path):
    with pytest.raises(IdentifyError, match="no text in UTF-8"):
        read(file("v,µ\n1,2\n", "latin-1"))
    with pytest.raises(IdentifyError, match="no text: a CSV file"):
        read(file("v\0,F\n"))
    with pytest.raises(IdentifyError, match="there is no file"):
        read(tmp_path / "none.csv")
    with pytest.raises(IdentifyError, match="is a folder"):
        read(tmp_path)


def test_what_is_written_is_read_back_to_the_last_digit(tmp_path):
    values = np.random.default_rng(0).normal(size=50) * 10.0 ** np.arange(-25, 25)
    table = read(write(tmp_path / "a.csv", {"x": values, "n": np.arange(50)}, {"x": "m"}))
    assert table["x"].tolist() == values.tolist() and table.units["x"] == "m"
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    with pytest.raises(IdentifyError, match="one length"):
        write(tmp_path / "b.csv", {"x": [1], "y": [1, 2]})
