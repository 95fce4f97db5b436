"""Messages among the units of an unknown log: who speaks, what is said, and on what it rests.

Each pair of a column of texts and a column of roles is tried with each column of knowledge and each speaker as the
assistant. The proposal is the one in which the assistant's texts rest most surely on the knowledge.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, pairwise, starmap
from typing import Any

from qsquared.storage.logs.fields.mapping import AND
from qsquared.storage.logs.format_engines.units import ABSENT_ROLE, OUTER
from qsquared.storage.logs.messages.messages import TOOLS, role_named
from qsquared.storage.logs.messages.replies import find_tree
from qsquared.storage.logs.surveys.columns.described import (
    NO_KNOWLEDGE,
    Fields,
    Proposal,
    description,
    ids_and_times,
)
from qsquared.storage.logs.surveys.columns.knowledge import found_beside, known_beside, known_path
from qsquared.storage.logs.surveys.columns.texts import SharedWords, share_of, words_in
from qsquared.storage.logs.surveys.columns.threads import by_conversation, role_columns
from qsquared.storage.logs.surveys.columns.values import (
    Column,
    NumberedUnits,
    Unit,
    columns_of,
    glue_of,
)
from qsquared.storage.logs.surveys.shapes import speakers
from qsquared.storage.logs.surveys.shapes.speakers import Role, Row, is_named_like
from qsquared.storage.logs.surveys.shapes.templates import separating


@dataclass(frozen=True, slots=True)
class _Talk:
    """Units that may be messages: the conversation of each, their columns, and those that may hold knowledge.

    ``by_conversation`` has the paths that tell conversations and order; ``around`` says whether the knowledge is in
    what is around the list, ``of_requests`` whether the units are the events of requests.
    """

    path: str
    units: Sequence[Unit]
    conversations: Sequence[int]
    columns: Mapping[str, Column]
    knowing: Mapping[str, Column]
    by_conversation: Mapping[str, list[str]]
    around: bool
    of_requests: bool


@dataclass(frozen=True)
class _Reading:
    """Units as messages: a column of what is said, the values of their roles, and a column of knowledge.

    If the knowledge is of prompts, these are what a user says and hold the passages.
    """

    talk: _Talk
    role: str
    values: Sequence[str]
    said: Column
    knowledge: Column
    of_prompts: bool

    @cached_property
    def rows(self) -> list[Row]:
        """Who says what in each unit, and the passages there."""
        columns = (self.values, self.said.texts, self.knowledge.texts)
        return [*starmap(Row, zip(self.talk.conversations, *columns, strict=True))]

    @cached_property
    def asks(self) -> Mapping[str, float]:
        """Each speaker with the share of texts that do not end as statements do."""
        return speakers.who_speaks(self.said, self.values)


def messages_in(
    path: str, numbered: NumberedUnits, *, around: bool = False, request: str = ""
) -> Proposal:
    """Propose that each unit is a message of somebody in a conversation; the proposal is empty if nobody speaks.

    Args:
        path: the path of the list of the units.
        numbered: the units, each with the number of its conversation.
        around: look for the knowledge of a conversation's only reply in what is around the list.
        request: the path of the name of the request whose events the units are.
    """
    numbered, by = by_conversation(path, numbered, request)
    units = [unit for _, unit in numbered]
    columns = columns_of(units)
    outer = {name: columns.pop(name) for name in [*columns] if name.startswith(f"{OUTER}.")}
    conversations = [conversation for conversation, _ in numbered]
    knowing = outer if around else columns
    talk = _Talk(path, units, conversations, columns, knowing, by, around, bool(request))
    roles = [*role_columns(columns)]
    tried: list[tuple[Column, Role]] = []
    by_path: list[tuple[Column, Role]] = []
    for texts in _texts_said(columns):
        tried += [(text, role) for text in speakers.spoken_in(texts[:4]) for role in roles]
        by_path += speakers.told_by_path(texts)
    best = Proposal()
    for pairs in (tried, by_path):
        for text, role in pairs if not best.is_sure else ():
            best = max(best, _conversation(talk, text, role), key=_preference)
    return best


def _texts_said(columns: Mapping[str, Column]) -> Iterator[list[Column]]:
    """Yield columns of texts that may be said, those of the most units first: of messages, and of their parts.

    Parts are not looked at where nearly all units have a text of their own, and alone where few have one.
    """
    texts = [one for one in speakers.as_one_text(columns) if one.is_said]
    texts.sort(key=lambda one: -len(one.filled))
    whole = [text for text in texts if "[]" not in text.path]
    spoken = max((text.share_filled for text in whole), default=0.0)
    texts = [one for one in texts if one.share_filled >= 0.15]
    # Nobody says a prompt, which repeats what was said.
    texts = [one for one in texts if not any(map(one.repeats_earlier, whole))]
    if spoken >= 0.5:
        yield [text for text in texts if "[]" not in text.path]
    if spoken < 0.8:
        yield texts


def _preference(proposal: Proposal) -> tuple[float, bool]:
    """Return by what a proposal is preferred to others: a flag tells who speaks where nothing else does.

    Its values name nobody, as of whether a reply was spoken from a cache, unless it is named after a role.
    """
    assistant = proposal.described.get("kinds", {}).get("assistant", ())
    name = "".join(proposal.fields.get("role", ())).rpartition(".")[2]
    flag = not {speakers.SET, "False"}.isdisjoint(assistant)
    flag = flag and not any(map(role_named, words_in(name)))
    return proposal.confidence - 0.2 * flag, bool(proposal.lacks)


def _conversation(talk: _Talk, text: Column, role: Role) -> Proposal:
    """Return the best proposal with a column as what is said and another as who says it.

    It is empty if speakers do not take turns, and says that knowledge lacks if no column may have it.
    """
    name, values = role
    said_at = text.path.split(AND)
    pairs = zip(values, talk.conversations, strict=True)
    said_by = [*compress(pairs, text.texts)]
    changing = _share_changing(talk, said_by)
    compared = talk.path and speakers.says_each_once(said_by, len(values))
    if changing < 0.5 or (name and name in said_at) or compared:
        return Proposal()
    known = known_beside(text, talk.knowing)
    found = speakers.found_by_tools(text, values) if name and not talk.around else ()
    prompts = [*speakers.prompts_in(text, values)] if name and not talk.around else []
    tried = [(own, others, False) for own, others in found if own not in prompts]
    tried += [(column, speakers.unrepeated(text, column), False) for column in known]
    tried += [(prompt, text, True) for prompt in prompts]
    shared = SharedWords(text.texts)
    best = Proposal({"engine": "messages"}, 0.0, "" if tried else NO_KNOWLEDGE)
    for knowledge, said, of_prompts in tried:
        if speakers.is_of_tool(knowledge, said_at) or speakers.tells_of(name, knowledge):
            continue
        reading = _Reading(talk, name, values, said, knowledge, of_prompts)
        sure = {bot: _confidence(reading, bot, shared, changing) for bot in reading.asks}
        bot = max(sure, key=sure.__getitem__, default="")
        if sure.get(bot, 0.0) > best.confidence:
            best = Proposal(_described(reading, bot, known), sure[bot])
    return best


def _share_changing(talk: _Talk, said_by: Sequence[tuple[str, int]]) -> float:
    """Return the share of messages whose speaker is another than before in the conversation; 0 if there are none."""
    whole = not (talk.path or talk.of_requests)
    pairs = [(one, other) for one, other in pairwise(said_by) if whole or one[1] == other[1]]
    return share_of([one[0] != other[0] for one, other in pairs])


def _confidence(reading: _Reading, bot: str, shared: SharedWords, changing: float) -> float:
    """Return how surely a speaker is the assistant, whose texts rest on the knowledge; 0 if it cannot be.

    Speakers take turns in a share of the messages (``changing``).
    """
    rows, asks = reading.rows, reading.asks
    same, apart, of_bot, covered = speakers.rests_on(shared, rows, bot)
    others = [value for value in asks if value != bot]
    users = any(speakers.is_named_user(reading.role, value) for value in others)
    named = speakers.is_named_assistant(reading.role, bot)
    unlike = bot == ABSENT_ROLE or is_named_like(bot, "user")
    # How much oftener somebody else asks, or ends without a full stop.
    margin = max((asks[value] - asks[bot] for value in others), default=0.0)
    mixed = speakers.is_mixed(rows)
    # Another column may tell the steps of an assistant apart; a tool is none.
    steps = mixed and not users and role_named(bot) != "assistant"
    nameless = not named and (margin < 0.15 or asks[bot] > 0.5)
    several = speakers.says_several(rows, bot) if reading.talk.around else of_bot < 0.5
    if not same or steps or nameless or several or _is_another(reading, bot, named=named):
        return 0.0
    return (
        # What few of the replies rest on says less.
        (same - apart) * (1.0 if covered >= 0.5 else 0.6)
        + 0.3 * margin
        + 0.15 * named
        + 0.1 * (named + 1) * users
        - 0.1 * bot.isdecimal()
        - 0.4 * unlike
        - 0.4 * mixed
        - 0.05 * len({row.speaker for row in rows})
        + 0.2 * changing
        + 0.1 * of_bot
    )


def _is_another(reading: _Reading, bot: str, *, named: bool) -> bool:
    """Whether a speaker is not the assistant by its role, by what else has knowledge, or by how little it says."""
    rows, role, knowledge = reading.rows, role_named(bot), reading.knowledge
    said = Counter(row.speaker for row in rows if row.text)
    # In data in place of a text, as a tool's result is, nobody but the assistant and users says anything.
    inside = any(knowledge.path.startswith(f"{path}.") for path in reading.said.path.split(AND))
    others = {row.speaker for row in rows if row.text and row.passage} - {bot}
    if inside and any(role_named(value) != "user" for value in others):
        return True
    if role == "user" or speakers.is_tool(bot) or speakers.repeats_itself(rows, bot):
        return True
    # Some programs call their own replies those of the system; instructions come first.
    first = rows[0].speaker == bot or len(reading.asks) >= speakers.LEAST_ROLES
    # An event has a name, and a hit a number; in a conversation others speak, too.
    nameless = reading.talk.of_requests and not words_in(bot)
    if (role == "system" and first) or nameless or 2 * (said.total() - said[bot]) < said[bot]:
        return True
    # Who is named like one, and alone knows, may say little; half of the prompts are to be answered.
    alone = named and all(row.speaker == bot for row in rows if row.passage)
    fewest = 0.0 if alone else max(0.1 * said.total(), float(said.total() > 5))
    return said[bot] <= max(fewest, 0.5 * len(knowledge.filled) * reading.of_prompts)


def _described(reading: _Reading, bot: str, known: Sequence[Column]) -> dict[str, Any]:
    """Return the description of messages, with what tells their order, and which of them answers which.

    Other columns of knowledge (``known``) are read where they stand beside a reply.
    """
    talk, said, knowledge = reading.talk, reading.said, reading.knowledge
    fields: Fields = {"role": [reading.role]} if reading.role else {}
    fields["content"] = [speakers.parts_at(talk.columns, path) for path in said.path.split(AND)]
    places = knowledge.path.split(AND)
    fields["knowledge"] = places if places[1:] else [known_path(talk.units, knowledge)]
    found = {**ids_and_times(talk.columns), **talk.by_conversation}
    fields |= {part: found[part] for part in ("order", "timestamp", "id") if part in found}
    # Numbers of what was found for a message are no messages.
    plain = [one for path, one in talk.columns.items() if "[]" not in path and one.is_single]
    plain = [one for one in plain if one.path != reading.role]
    ids = {one.path: [next(iter(values), None) for values in one.values] for one in plain}
    # Steps without a text answer the same message as the reply, and are no other versions of it.
    speaking = [row.speaker if row.text else "tool" for row in reading.rows]
    own_ids = fields.get("id", [""])[0]
    if tree := find_tree(ids, speaking.__getitem__, talk.conversations, own_ids):
        fields |= {"id": [tree[0]], "parent": [tree[1]]}
    parts = talk.columns.get(said.path)
    glue = {"glue": ""} if parts and not parts.is_single and not glue_of(parts) else {}
    group, kinds = talk.by_conversation.get("conversation_id"), _kinds(reading, bot)
    keys = {"group": group, "separator": separating(knowledge.filled), "kinds": kinds}
    described = description("messages", talk.path, fields, unit="message", **keys)
    if reading.of_prompts:
        del fields["knowledge"]
        return glue | described
    of_bot = [value == bot for value in reading.values]
    for part, column in found_beside(knowledge, known, talk.columns, of_bot):
        fields.setdefault(part, []).append(known_path(talk.units, column))
    return glue | described


def _kinds(reading: _Reading, bot: str) -> Fields:
    """Return the values of the roles by their kinds: the assistant, tools, and the system with its notes.

    All others are users.
    """
    rows, values = reading.rows, {*reading.values}
    roles = {value: role_named(value) for value in values - {bot}}
    # Who never speaks is no user; what stands in place of a text is the data of a program.
    silent = values - {*reading.asks}
    notes = {row.speaker for row in rows if row.text} & silent
    # What a tool found is often logged in the name of the system.
    knowing = {row.speaker for row in rows if row.passage}
    notes |= {value for value, role in roles.items() if role == "system"} - knowing
    notes |= {*filter(speakers.is_dropped, values)}
    notes |= {*speakers.echoes(reading.said, reading.values, bot)}
    # A tool that failed may say so in place of what it found.
    tools = (silent - notes) | {value for value, role in roles.items() if role in TOOLS}
    kinds = {"assistant": [bot], "tool": sorted(tools), "system": sorted(notes - tools)}
    return {kind: named for kind, named in kinds.items() if named}
