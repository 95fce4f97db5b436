"""Texts of an unknown program: in Chinese, below a label of their cell, and in tables that name each other by keys."""

from qsquared.storage.logs.fields.embedded_values import by_ids
from qsquared.storage.logs.surveys.doubts import doubts
from tests.storage.logs.test_proposals import FACTS

CHINESE = (
    ("包裹可以退吗", "包裹在签收后三十天内可以退回,封条必须完好。", "包裹自签收起三十天内可以退回。封条须完好。"),
    ("钱什么时候退", "退款在五个工作日内到达您的账户。", "收到包裹后,退款会在五个工作日内到达账户。"),
    ("运费多少", "标准运费为四元九角,需要一天。", "标准运费四元九角,特快九元九角。送达需要一天。"),
    ("有门店吗", "波恩的门店每天早上十点开门。", "波恩门店除星期日外每天早上十点开门。"),
    ("可以开发票吗", "从第二次订购开始可以开具发票。", "发票从第二次订购起开具;在此之前请用银行卡付款。"),
)  # fmt: skip
"""Questions, replies and passages, of which no text has a blank."""


def test_messages_in_a_script_without_blanks_are_read(turns):
    """A preview beside each reply, which holds the question and the reply itself, is no knowledge."""
    rows = []
    for question, reply, fact in CHINESE:
        said = [{"by": "用户", "txt": question}, {"by": "AI", "txt": reply}]
        found = {"quotes": [{"q": fact}], "preview": said}
        rows.append(
            {"talk": [{"role": "Human", "txt": question}, {"role": "AI", "txt": reply, **found}]}
        )
    assert turns(rows) == list(CHINESE)


def test_replies_in_a_script_without_blanks_are_no_single_words():
    """Two characters count as a word."""
    made = [
        {"response": reply, "knowledge": [fact], "history": [asked]}
        for asked, reply, fact in CHINESE
    ]
    assert doubts(made) == doubts(made, named=True) == ""
    short = [{**one, "response": "可以"} for one in made]
    assert doubts(short) == "the replies are single words, numbers or ids"


def test_a_label_before_all_passages_of_a_cell_is_part_of_none(turns):
    """Each cell has it once, and a rule between its passages, if it has several."""
    found = [[fact, *([FACTS[n - 1][2]] if n % 2 else [])] for n, (*_, fact) in enumerate(FACTS)]
    rows = [
        {"q": q, "a": r, "found": "Search of the handbook:\n" + "\n*****\n".join(held)}
        for (q, r, _), held in zip(FACTS, found, strict=True)
    ]
    asked = zip(FACTS, found, strict=True)
    assert turns(rows) == [(q, r, *held) for (q, r, _), held in asked]


def _dumped(*, linked):
    """The tables of a help desk as Django dumps them: each message names its passages, or a table links both."""
    rows = [
        {"model": "kb.chunk", "pk": n, "fields": {"text": one[2]}} for n, one in enumerate(FACTS, 1)
    ]
    for n, (question, reply, _) in enumerate(FACTS, 1):
        for place, text in enumerate((question, reply)):
            key = 2 * n + place
            fields = {"talk": n, "by": ["guest", "bot"][place], "body": text}
            names = [n] if place else []
            rows += [
                {
                    "model": "desk.message",
                    "pk": key,
                    "fields": {**fields, **({} if linked else {"sources": names})},
                }
            ]
            rows += [
                {"model": "desk.citation", "pk": n, "fields": {"message": key, "chunk": n}}
                for n in names
                if linked
            ]
    return rows  # fmt: skip


def test_tables_of_a_dump_are_joined_by_lists_of_keys(turns):
    """A list of numbers beside a key names objects; a lone number may count anything."""
    assert turns(_dumped(linked=False)) == list(FACTS)


def test_tables_of_a_dump_are_joined_by_keys_named_after_a_table(turns):
    """A field such as ``chunk`` leads to the table ``kb_chunk``, of which another word is the application's."""
    assert turns(_dumped(linked=True)) == list(FACTS)


def test_objects_under_their_numbers_are_a_list_in_the_order_of_these() -> None:
    """Numbers may be texts, parts of others, or the whole numbers of YAML; names make no list."""
    one, two, ten = {"text": "a"}, {"text": "b"}, {"text": "c"}
    assert by_ids({"10": ten, "2": two, "1": one}) == [one, two, ten]
    assert by_ids({10: ten, 2: two}) == [two, ten]
    assert by_ids({"1.2": two, "1.1": one}) == [one, two]
    assert by_ids({"1": one, "name": two}) is None
    assert by_ids({"1": "a"}) is None
