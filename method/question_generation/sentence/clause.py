"""The clause that a question is about: subject, predicate and the parts that move to the end."""

from dataclasses import dataclass

from qsquared.method.question_generation.sentence.cut import (
    SUBJECTS,
    is_before_mark,
    is_command,
    is_condition,
)
from qsquared.method.question_generation.sentence.slot import Slot, definite, is_aside, name
from qsquared.method.question_generation.sentence.tree import Piece, Tree
from qsquared.method.question_generation.sentence.verbs import auxiliaries, be
from qsquared.method.question_generation.sentence.words import WORDS

_LEFT_OUT = frozenset(
    {"parataxis", "intj", "discourse", "vocative", "mark", "dep", "advcl", "meta"}
)
_RELATIVES = frozenset({"that", "which", "who", "whom", "where", "when", "whose", "why"})
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_DETERMINERS = frozenset({"DT", "CD", "PRP$"})
_INDEFINITE = frozenset({"a", "an", "no", "one", "some", "another", "two", "three"})
_MARKS = frozenset({",", ".", "?", "!", ";", ":", "...", "…", "--"})


@dataclass(frozen=True, slots=True)
class Clause:
    """A finite clause.

    ``body`` holds everything after the subject in order, ``tail`` the adverbials that stood before it.
    ``borrowed`` are the auxiliaries that the verb shares with an earlier conjunct.
    ``is_inverted`` marks a question, ``is_reduced`` a participle that describes a noun.
    ``modal`` is an auxiliary where the clause has none of its own: a command's "you should".
    """

    verb: int
    subject: tuple[Piece, ...]
    body: tuple[Piece, ...]
    tail: tuple[Piece, ...] = ()
    borrowed: tuple[int, ...] = ()
    is_inverted: bool = False
    is_reduced: bool = False
    modal: str = ""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Return the clause as a statement."""
        modal = (self.modal,) if self.modal else ()
        return (*self.subject, *modal, *self.body, *self.tail)


def find_clause(tree: Tree, slot: Slot) -> Clause | None:
    """Return the smallest clause with a subject that holds the slot, or ``None``."""
    verb = next((i for i in tree.ancestors(slot.phrase) if tree.is_verb(i)), None)
    while verb is not None:
        if tree.children(verb, *SUBJECTS):
            return _own_subject(tree, verb, slot)
        if tree.is_cut and is_command(tree, verb):
            return _command(tree, verb, slot)
        if tree.dep(verb) == "acl" and tree.tag(verb) in {"VBN", "VBG"}:
            reduced = _reduced(tree, verb, slot)
            if reduced is not None:
                return reduced
        if tree.dep(verb) == "conj":
            first = _first_conjunct(tree, verb)
            if first is not None and tree.children(first, *SUBJECTS):
                return _shared_subject(tree, verb, first, slot)
        verb = next((i for i in tree.ancestors(verb) if tree.is_verb(i)), None)
    return _without_subject(tree, slot) if tree.is_cut else None


def _without_subject(tree: Tree, slot: Slot) -> Clause | None:
    """Supply subject and verb to the clause of a fragment: "it" costs, "it is" free."""
    root = next((i for i in tree.ancestors(slot.phrase) if tree.is_root(i)), None)
    if root is None:
        return None
    first = (*auxiliaries(tree, root), root)[0]
    members = sorted(_members(tree, root, slot))
    body, tail = (tuple(i for i in members if (i >= first) is late) for late in (True, False))
    if tree.is_verb(root) and tree.tag(first) in {"VBZ", "VBD", "MD"}:
        return Clause(root, ("it",), body, tail)
    if any(tree.tag(i) in _FINITE for i in members):
        return None
    is_described = tree.tokens[root].pos == "ADJ" and not any(
        map(tree.is_nominal, tree.children(root))
    )
    if tree.tag(first) == "VBN" or is_described:
        return Clause(root, ("it",), body, tail, modal="is")
    determined = {tree.lower(i) for i in members if i < root and tree.tag(i) in _DETERMINERS}
    if tree.is_nominal(root) and slot.preposition is not None and determined:
        named = ("there",) if determined & _INDEFINITE else ()
        is_plural = tree.is_plural(root)
        return Clause(root, named, tuple(members), modal=be(was=False, is_plural=is_plural))
    return None


def _command(tree: Tree, verb: int, slot: Slot) -> Clause:
    """Return a command as what you should do; what is before its verb moves to the end."""
    negations = {i for i in tree.children(verb, "neg") if tree.lower(i) in {"n't", "not"}}
    members = sorted(_members(tree, verb, slot) - negations - {*tree.children(verb, "aux")})
    always = [i for i in members if i < verb and tree.lower(i) in {"always", "never"}]
    body: tuple[Piece, ...] = (
        *map(tree.lower, always),
        tree.lower(verb),
        *(i for i in members if i > verb),
    )
    tail = tuple(i for i in members if i < verb and i not in always)
    modal = "shouldn't" if negations else "should"
    return Clause(verb, ("you",), body, tail, modal=modal)


def _first_conjunct(tree: Tree, verb: int) -> int | None:
    """Return the verb with the subject that a coordinated verb shares."""
    for head in tree.ancestors(verb):
        if not tree.is_verb(head):
            return None
        if tree.children(head, *SUBJECTS) or tree.dep(head) != "conj":
            return head
    return None


def _own_subject(tree: Tree, verb: int, slot: Slot) -> Clause | None:
    heads = tree.children(verb, *SUBJECTS)
    head = next((i for i in heads if tree.dep(i) == "expl"), heads[0])
    members = _members(tree, verb, slot)
    subject = tree.subtree(head) & members
    if not subject:
        return None
    relative = _relative(tree, verb, members) if tree.dep(verb) == "relcl" else None
    if relative in slot.tokens:
        relative = None
    operators = {verb, *auxiliaries(tree, verb)}
    inverted = any(i < head for i in operators) and _asks(tree)
    before = {i for i in members - subject if i < min(subject) and i != relative}
    conditional = {i for j in tree.children(verb) if is_condition(tree, j) for i in tree.subtree(j)}
    before -= operators | (_wh_words(tree, members) - conditional)
    if any(i < head for i in operators) and not inverted:
        before = set()
    tail = tuple(sorted(before))
    asking: set[int] = set()
    if not inverted and tree.dep(verb) != "relcl":
        asked = _wh_words(tree, members - slot.tokens - conditional)
        asking = {i for i in asked if i < min(subject)}
        is_subject_asked = tree.is_cut and slot.phrase in subject
        if not is_subject_asked and any(tree.tag(i) != "WRB" for i in asking):
            return None
        members -= asking
    body: tuple[Piece, ...] = tuple(sorted(members - subject - before))
    if fused := [i for i in asking if tree.tag(i) != "WRB"]:
        # "What you pay could change": "Who pays what?"
        where = body.index(verb) + 1
        body = (*body[:where], *fused, *body[where:])
    named: tuple[Piece, ...] = tuple(sorted(subject))
    if tree.dep(verb) == "relcl" and not slot.tokens & _wh_words(tree, members):
        named, body = _resolve(tree, verb, named, body, relative)
    if tree.is_cut and not inverted and not subject & slot.tokens:
        named = _of_fused_relative(tree, named)
    return Clause(
        verb, named, body, tail, is_inverted=inverted, modal=_copula(tree, verb, heads[0])
    )


def _copula(tree: Tree, verb: int, subject: int) -> str:
    """Return the "is" that a participle lacks after its subject: "swimming allowed there"."""
    is_bare = tree.tag(verb) == "VBN" and not auxiliaries(tree, verb)
    if not tree.is_cut or not is_bare or tree.children(verb, "dobj"):
        return ""
    return be(was=False, is_plural=tree.is_plural(subject))


def _of_fused_relative(tree: Tree, subject: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Put "it" in place of a relative without a noun: "She mapped what grows there"."""
    if len(subject) != 1 or not isinstance(subject[0], int):
        return subject
    return ("it",) if tree.lower(subject[0]) in {"what", "which"} else subject


def _shared_subject(tree: Tree, verb: int, first: int, slot: Slot) -> Clause | None:
    """Take subject and auxiliaries of a coordinated verb from the first one."""
    base = _own_subject(tree, first, slot)
    if base is None:
        return None
    members = _members(tree, verb, slot)
    shared = () if auxiliaries(tree, verb) else auxiliaries(tree, first)
    is_passive = tree.lower(verb) in WORDS["passive_verbs"] and not tree.children(verb, "dobj")
    if tree.tag(verb) in {"VBZ", "VBP"} or (tree.tag(verb) == "VBD" and not is_passive):
        shared = ()
    return Clause(verb, base.subject, (*shared[1:], *sorted(members)), borrowed=shared[:1])


def _reduced(tree: Tree, verb: int, slot: Slot) -> Clause | None:
    """Take the noun as subject of its participle, as in "a film directed by X"."""
    noun = tree.heads[verb]
    if not tree.is_nominal(noun) or verb < noun or slot.phrase in name(tree, noun):
        return None
    members = tuple(sorted(_members(tree, verb, slot)))
    return Clause(verb, definite(tree, name(tree, noun)), members, is_reduced=True)


def _members(tree: Tree, verb: int, slot: Slot) -> frozenset[int]:
    """Return the tokens of a clause without other clauses, side remarks and openings."""
    barred = (
        i
        for i in tree.subtree(verb) - {verb}
        if slot.head not in tree.subtree(i) and _is_left_out(tree, verb, i)
    )
    members = tree.subtree(verb, barred)
    return frozenset(i for i in members if not _is_stray(tree, members, i))


def _is_stray(tree: Tree, members: frozenset[int], index: int) -> bool:
    """Whether a mark only sets off a part that has been left out."""
    return tree.lower(index) in _MARKS and not tree.beside(index) <= members


def _is_left_out(tree: Tree, verb: int, index: int) -> bool:
    """Whether the branch that begins here is a statement of its own."""
    dep, head = tree.dep(index), tree.heads[index]
    if dep == "advmod" and head == verb and is_before_mark(tree, index):
        return True
    if head == verb and tree.is_cut and is_condition(tree, index):
        return False
    if dep in _LEFT_OUT:
        # "that" belongs to a clause that is left out or made a question, not to one that is kept.
        return head == verb if dep == "mark" else dep != "dep" or tree.is_verb(index)
    is_name = tree.tag(head) == "NNP" or tree.tokens[head].entity != ""
    if dep == "det" and is_name and tree.lower(index) == "that":
        # Before a name it is the "that" of "I know that", taken for a determiner.
        return True
    return is_aside(tree, index) or (head == verb and _is_marginal(tree, verb, index))


def _is_marginal(tree: Tree, verb: int, index: int) -> bool:
    """Whether a dependant of the verb is not part of the clause's statement."""
    match tree.dep(index):
        case "punct":
            return tree.lower(index) in _MARKS
        case "cc" | "preconj":
            # The "and" between two clauses goes with the clause; between two adjectives it stays.
            return any(tree.is_verb(i) for i in tree.children(verb, "conj")) or index < verb
        case "conj":
            return tree.is_verb(index)
        case "ccomp":
            return index < verb
        case "advmod":
            word = tree.lower(index)
            opens = index == min(tree.subtree(verb)) and word.endswith("ly")
            return word in WORDS["discourse_words"] or opens
    return False


def _asks(tree: Tree) -> bool:
    """Whether the sentence is a question or its verb comes first."""
    return tree.lower(tree.indices[-1]) == "?" or tree.is_verb(tree.indices[0])


def _wh_words(tree: Tree, members: frozenset[int]) -> set[int]:
    return {i for i in members if tree.tag(i) in {"WP", "WRB", "WDT", "WP$"}}


def _relative(tree: Tree, verb: int, members: frozenset[int]) -> int | None:
    """Return the relative pronoun or adverb of a relative clause."""
    words = (i for i in sorted(members) if i < verb and tree.lower(i) in _RELATIVES)
    return next(words, None)


def _resolve(
    tree: Tree,
    verb: int,
    subject: tuple[Piece, ...],
    body: tuple[Piece, ...],
    relative: int | None,
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Put the noun that a relative clause describes in place of its pronoun, or of the gap."""
    noun: tuple[Piece, ...] = definite(tree, name(tree, tree.heads[verb]))
    if relative is not None and relative in subject:
        if tree.tag(relative) == "WP$":
            noun = (*noun, "'s")
        where = subject.index(relative)
        return (*subject[:where], *noun, *subject[where + 1 :]), body
    if relative is not None:
        body = tuple(piece for piece in body if piece != relative)
        if tree.lower(relative) in {"where", "when", "why"}:
            return subject, body
    stranded = [i for i in body if isinstance(i, int) and tree.dep(i) == "prep"]
    gap = next((i for i in stranded if not tree.children(i)), None)
    if gap is None and not tree.children(verb, "attr"):
        objects = [i for i in tree.children(verb, "dobj") if i != relative]
        gap = None if objects or verb not in body else verb
    if gap is None:
        return subject, body
    where = body.index(gap) + 1
    return subject, (*body[:where], *noun, *body[where:])
