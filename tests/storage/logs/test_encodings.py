"""Tests that tables in other encodings than UTF-8 are read, and that the encoding is told."""

# ruff: noqa: RUF001 - letters of other scripts on purpose

import pytest

from qsquared.storage.logs.surveys.complaints import how_read
from qsquared.storage.logs.surveys.survey import survey_log
from tests.storage.conftest import Read

TEXTS = {
    "cp1250": "Książka została zwrócona wczoraj przez czytelnika w Łodzi.",
    "cp1251": "Я вернула книгу вчера, и моя заявка принята.",
    "cp1252": "Das Gerät läuft für zwölf Stunden – „sicher“.",
    "cp1253": "Το βιβλίο επιστράφηκε χθες.",
    "cp1254": "Müşteri bugün geldi, ışık açık, değişim için başvuru yaptı.",
    "mac_roman": "Das Gerät läuft für zwölf Stunden, größtenteils.",
    "cp932": "本は昨日、読者によって返却されました。",
    "gb18030": "这本书昨天归还了，读者很满意。",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_a_table_of_a_spreadsheet_is_read_in_its_encoding(read: Read, tmp_path, encoding) -> None:
    """A few words are enough, and the survey names the encoding."""
    data = f"response;knowledge\nplain words;{TEXTS[encoding]}\n".encode(encoding)
    _, (turn,), rejects = read(data, name="x.csv")
    assert turn["knowledge"] == [TEXTS[encoding]]
    assert rejects == []
    path = tmp_path / "y.csv"
    path.write_bytes(data)
    assert f"read as csv in the encoding {encoding}" in how_read(survey_log(path, {}))


def test_the_encoding_is_that_of_the_first_text_that_is_not_ascii(read: Read) -> None:
    """It may stand far below the rows by which the separator is known."""
    plain = "a reply;" + "plain words " * 400 + "\n"
    late = "Gerät läuft;für zwölf Stunden\n"
    for encoding in ("cp1252", "utf-8"):
        data = ("response;knowledge\n" + plain * 300 + late).encode(encoding)
        _, turns, rejects = read(data, name="x.csv")
        assert rejects == []
        assert turns[-1]["response"] == "Gerät läuft"


def test_a_first_line_that_states_the_separator_is_no_header(read: Read) -> None:
    """Excel writes it; other separators in the header count no more."""
    data = b"sep=;\r\nresponse;knowledge\r\nyes, it is;the text, of it\r\n"
    _, (turn,), rejects = read(data, name="x.csv")
    assert (turn["response"], turn["knowledge"]) == ("yes, it is", ["the text, of it"])
    assert rejects == []
