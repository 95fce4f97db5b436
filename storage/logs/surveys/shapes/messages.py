"""Messages of somebody among the rows of an unknown log: who speaks, what is said, and on what it rests."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import Any

from qsquared.storage.logs.fields.mapping import AND
from qsquared.storage.logs.format_engines.units import ABSENT_ROLE, OUTER
from qsquared.storage.logs.messages.messages import TOOLS, role_named
from qsquared.storage.logs.messages.replies import find_tree
from qsquared.storage.logs.surveys.columns.described import (
    NO_KNOWLEDGE,
    Proposal,
    description,
    ids_and_times,
)
from qsquared.storage.logs.surveys.columns.knowledge import (
    hold_passages,
    is_cited,
    is_rarer,
    known_path,
)
from qsquared.storage.logs.surveys.columns.texts import SharedWords, is_address
from qsquared.storage.logs.surveys.columns.threads import by_conversation, role_columns
from qsquared.storage.logs.surveys.columns.values import Column, NumberedUnits, columns_of
from qsquared.storage.logs.surveys.shapes import speakers
from qsquared.storage.logs.surveys.shapes.speakers import Role, Row, in_one, is_named_like, words_in
from qsquared.storage.logs.surveys.shapes.templates import separating

_HALF = 0.5
_MOST = 0.8
_FLAGS = {speakers.SET, "False"}
"""Values that name nobody, as of whether a reply was spoken from a cache."""
_OF_FEW = 0.6
_MIXED = 0.4
"""The confidence that a role loses if it stands both with what a tool found and with what somebody says."""
_LEAST_SAID, _MANY = 0.1, 5
_LEAST_MARGIN = 0.15
"""The share by which users ask, or end without a full stop, oftener than an assistant whose name says nothing."""


@dataclass(frozen=True, slots=True)
class _Spoken:
    """Texts that somebody says beside a column of knowledge, which may be ``inside`` of them.

    ``asks`` has each speaker with the share of texts that do not end as statements do; an assistant says more than
    the ``least`` number of texts.
    """

    role: str
    rows: Sequence[Row]
    asks: Mapping[str, float]
    inside: bool
    least: float


@dataclass(frozen=True, slots=True)
class _Talk:
    """Units that may be messages: the conversation of each, their columns, and those that may hold knowledge."""

    path: str
    held: NumberedUnits
    made: Mapping[str, Column]
    knows: Mapping[str, Column]
    named: Mapping[str, list[str]]
    of_requests: bool

    @property
    def around(self) -> bool:
        """Whether the knowledge is in what is around the list."""
        return self.knows is not self.made


def messages_in(
    path: str, held: NumberedUnits, *, around: bool = False, request: str = ""
) -> Proposal:
    """Propose that each unit is a message of somebody in a conversation.

    Args:
        path: the path of the list of the units.
        held: the units, each with the number of its conversation.
        around: look for the knowledge of a conversation's only reply in what is around the list.
        request: the path of the name of the request whose events the units are.
    """
    held, named = by_conversation(path, held, request)
    units = [unit for _, unit in held]
    made = columns_of(units)
    outer = {name: made.pop(name) for name in [*made] if name.startswith(f"{OUTER}.")}
    talk = _Talk(path, held, made, outer if around else made, named, bool(request))
    several = [
        in_one(one) for one in made.values() if not one.is_single and one.share_filled >= _MOST
    ]
    single = [
        one for one in [*speakers.in_two_forms(made), *made.values(), *several] if one.is_said
    ]
    plain = [one for one in single if "[]" not in one.path]
    spoken = max((one.share_filled for one in plain), default=0.0)
    roles = [*role_columns(made)]
    tried: list[tuple[Column, Role]] = []
    by_path: list[tuple[Column, Role]] = []
    # What is said may stand in the parts of a message.
    for among in [plain] * (spoken >= _HALF) + [single] * (spoken < _MOST):
        texts = sorted(among, key=lambda one: -len(one.filled))
        texts = [one for one in texts if one.share_filled >= 0.15]
        # Nobody says a prompt, which repeats what was said.
        texts = [one for one in texts if not any(one.repeats_earlier(other) for other in plain)]
        tried += [(text, role) for text in speakers.spoken_in(texts[:4]) for role in roles]
        by_path += speakers.told_by_path(texts)
    best = Proposal()
    for ways in (tried, by_path):
        for text, role in ways if not best.is_sure else ():
            found = _conversation(talk, text, role)
            best = max(best, found, key=_preference)
    return best


def _preference(found: Proposal) -> tuple[float, bool]:
    """Return by what a proposal is preferred to others: a flag tells who speaks where nothing else does."""
    flag = not _FLAGS.isdisjoint(found.described.get("kinds", {}).get("assistant", ()))
    name = "".join(found.fields.get("role", ())).rpartition(".")[2]
    flag = flag and not any(map(role_named, words_in(name)))
    return found.confidence - 0.2 * flag, bool(found.lacks)


def _conversation(talk: _Talk, text: Column, role: Role) -> Proposal:
    """Propose a column as what is said, another as who says it, and of those that may be knowledge the best one."""
    name, values = role
    groups = [group for group, _ in talk.held]
    told = [(v, g) for v, g, said in zip(values, groups, text.texts, strict=True) if said]
    several = bool(talk.path) or talk.of_requests
    changes = [a != b for (a, g), (b, h) in pairwise(told) if g == h or not several]
    said_at = text.path.split(AND)
    wrong = not changes or mean(changes) < _HALF or (name and name in said_at)
    if wrong or (talk.path and speakers.says_each_once(told, len(values))):
        return Proposal()
    known = _may_know(talk, text, said_at)
    shared = SharedWords(text.texts)
    # A prompt is what a user says, and holds the passages.
    prompts = list(speakers.prompts_in(text, values)) if name and not talk.around else []
    found = speakers.found_by_tools(text, values) if name and not talk.around else ()
    own = [(theirs, others) for theirs, others in found if theirs not in prompts]
    best = Proposal({"engine": "messages"}, 0.0, "" if known or own or prompts else NO_KNOWLEDGE)
    seen = [(one, speakers.unrepeated(text, one)) for one in known]
    for one, said in [*own, *seen, *((one, text) for one in prompts)]:
        if speakers.is_of_tool(one, said_at):
            continue
        rows = [*zip(groups, values, said.texts, one.texts, strict=True)]
        asks = speakers.who_speaks(said, values)
        inside = any(one.path.startswith(f"{path}.") for path in said_at)
        least = _HALF * len(one.filled) if one in prompts else 0.0
        spoken = _Spoken(name, rows, asks, inside=inside, least=least)
        for bot in asks:
            sure = _confidence(talk, spoken, bot, shared, mean(changes))
            if sure <= best.confidence:
                continue
            best = Proposal(_stated(talk, said, one, role, asks, bot), sure)
            if one in prompts:
                best = best.with_keys(
                    fields={k: v for k, v in best.fields.items() if k != "knowledge"}
                )
                continue
            for part, place in _besides(talk, one, known, values, bot):
                best.fields.setdefault(part, []).append(place)
    return best


def _confidence(
    talk: _Talk, spoken: _Spoken, bot: str, shared: SharedWords, changing: float
) -> float:
    """Return how surely a speaker is the assistant, whose texts rest on a column; 0 if it cannot be.

    Speakers take turns in a share of the messages (``changing``).
    """
    same, apart, of_bot, covered = speakers.rests_on(shared, spoken.rows, bot)
    others = [value for value in spoken.asks if value != bot]
    users = any(speakers.is_named_user(spoken.role, value) for value in others)
    named = speakers.is_named_assistant(spoken.role, bot)
    unlike = bot == ABSENT_ROLE or is_named_like(bot, "user")
    margin = max((spoken.asks[value] - spoken.asks[bot] for value in others), default=0.0)
    mixed = speakers.is_mixed(spoken.rows)
    # Another column may tell the steps of an assistant apart; a tool is none.
    wrong = mixed and not users and role_named(bot) != "assistant"
    wrong = wrong or (not named and (margin < _LEAST_MARGIN or spoken.asks[bot] > _HALF))
    several = speakers.says_several(spoken.rows, bot) if talk.around else of_bot < _HALF
    if not same or wrong or several or _is_another(talk, spoken, bot, named=named):
        return 0.0
    return (
        # What few of the replies rest on says less.
        (same - apart) * (1.0 if covered >= _HALF else _OF_FEW)
        + 0.3 * margin
        + 0.15 * named
        + 0.1 * (named + 1) * users
        - 0.1 * bot.isdecimal()
        - 0.4 * unlike
        - _MIXED * mixed
        - 0.05 * len({value for _, value, *_ in spoken.rows})
        + 0.2 * changing
        + 0.1 * of_bot
    )


def _is_another(talk: _Talk, spoken: _Spoken, bot: str, *, named: bool) -> bool:
    """Whether a speaker is not the assistant by its role, by what else has knowledge, or by how little it says."""
    role, said = role_named(bot), Counter(value for _, value, text, _ in spoken.rows if text)
    # In data in place of a text, as a tool's result is, nobody but the assistant and users says anything.
    others = {v for _, v, text, found in spoken.rows if text and found and v != bot}
    if spoken.inside and any(role_named(value) != "user" for value in others):
        return True
    if role == "user" or speakers.is_tool(bot) or speakers.repeats_itself(spoken.rows, bot):
        return True
    # Some programs call their own replies those of the system; instructions come first.
    instructs = len(spoken.asks) >= speakers.LEAST_ROLES or spoken.rows[0][1] == bot
    # An event has a name, and a hit a number; in a conversation others speak, too.
    nameless = talk.of_requests and not words_in(bot)
    if (role == "system" and instructs) or nameless or 2 * (said.total() - said[bot]) < said[bot]:
        return True
    # Who is named like one, and alone knows, may say little; each prompt is to be answered.
    alone = named and all(value == bot for _, value, _, passage in spoken.rows if passage)
    fewest = 0.0 if alone else max(_LEAST_SAID * said.total(), float(said.total() > _MANY))
    return said[bot] <= max(fewest, spoken.least)


def _may_know(talk: _Talk, text: Column, said_at: Sequence[str]) -> list[Column]:
    """Return the columns that may hold what the texts of another rest on."""
    known = [
        one for path, one in talk.knows.items() if path not in said_at and one.may_be_knowledge()
    ]
    # A text with the whole of its knowledge is a prompt, which nobody says; with what is said, a history.
    known = [one for one in known if not one.is_made_of(text) and not text.is_picked_from(one)]
    known = [one for one in known if not any(is_cited(one, other) for other in known)]
    # Of the texts of a list's objects those that most have are read.
    known = [one for one in known if not any(is_rarer(one, other) for other in known)]
    return [one for one in known if not (one.is_within(text) or hold_passages(one, user=True))]


def _besides(
    talk: _Talk, column: Column, known: Sequence[Column], values: Sequence[str], bot: str
) -> Iterator[tuple[str, str]]:
    """Yield the paths of knowledge that a speaker's messages have beside a column, as of another search.

    It stands where the column has none (`knowledge`), or is what was found at addresses (`more`).
    """
    filled = {n for n, text in enumerate(column.texts) if text}
    found = {*column.all_values}
    for other in known:
        own = {n for n, text in enumerate(other.texts) if text}
        of_bot = all(values[n] == bot for n in own | filled)
        # The same search may be logged twice.
        again = not found.isdisjoint(other.all_values)
        if not own or not of_bot or again or other.is_constant:
            continue
        part = "knowledge" if own.isdisjoint(filled) else "more"
        if part == "knowledge" or _of_pages(talk, other, column):
            filled |= own
            yield part, known_path([unit for _, unit in talk.held], other)


def _of_pages(talk: _Talk, column: Column, other: Column) -> bool:
    """Whether texts stand beside addresses of pages, in another list than those of another column."""
    lists = [one.path.partition("[]")[0] for one in (column, other)]
    beside = speakers.within(column.path.rpartition(".")[0], talk.made)

    def are_addresses(text: str) -> bool:
        return all(map(is_address, text.splitlines()))

    pages = any(one.filled and one.share(are_addresses) == 1 for one in beside)
    return "[]" in column.path and lists[0] != lists[1] and pages


def _stated(
    talk: _Talk, text: Column, known: Column, role: Role, asks: Mapping[str, float], bot: str
) -> dict[str, Any]:
    name, values = role
    # Who never speaks is no user; what stands in place of a text is the data of a program.
    silent = set(values) - set(asks)
    notes = {v for v, told in zip(values, text.texts, strict=True) if told} & silent
    roles = {value: role_named(value) for value in {*values} - {bot}}
    # What a tool found is often logged in the name of the system.
    knows = {value for value, passage in zip(values, known.texts, strict=True) if passage}
    notes |= {value for value, role in roles.items() if role == "system"} - knows
    notes |= {value for value in values if speakers.is_dropped(value)} | set(
        speakers.echoes(text, values, bot)
    )
    # A tool that failed may say so in place of what it found.
    tools = (silent - notes) | {value for value, role in roles.items() if role in TOOLS}
    places = known.path.split(AND)
    if len(places) == 1:
        places = [known_path([unit for _, unit in talk.held], known)]
    others = {"tool": sorted(tools), "system": sorted(notes - tools)}
    fields: dict[str, list[str]] = {
        **({"role": [name]} if name else {}),
        "content": [speakers.parts_at(talk.made, path) for path in text.path.split(AND)],
        "knowledge": places,
    }
    near = {**ids_and_times(talk.made), **talk.named}
    fields |= {part: near[part] for part in ("order", "timestamp", "id") if part in near}
    # Numbers of what was found for a message are no messages.
    plain = ((path, one) for path, one in talk.made.items() if path != name and "[]" not in path)
    ids = {path: one for path, one in plain if one.is_single}
    held = {path: [own[0] if own else None for own in one.values] for path, one in ids.items()}
    groups = [group for group, _ in talk.held]
    # Steps without a text answer the same message as the reply, and are no other versions of it.
    speakers_of = [v if told else "tool" for v, told in zip(values, text.texts, strict=True)]
    if tree := find_tree(held, speakers_of.__getitem__, groups, fields.get("id", [""])[0]):
        fields |= {"id": [tree[0]], "parent": [tree[1]]}
    parts = talk.made.get(text.path)
    glue = {"glue": ""} if parts and not parts.is_single and not speakers.glue_of(parts) else {}
    kinds = {"assistant": [bot], **{kind: held for kind, held in others.items() if held}}
    more = {"group": talk.named.get("conversation_id"), "separator": separating(known.filled)}
    return glue | description("messages", talk.path, fields, unit="message", **more, kinds=kinds)
