"""The finite verb of a clause: the word that goes before the subject, and the words left behind."""

from dataclasses import dataclass, field

from qsquared.method.question_generation.sentence.tree import Piece, Tree
from qsquared.method.question_generation.sentence.words import IRREGULAR_PASTS

_CLITICS = {"'re": "are", "'ve": "have", "'ll": "will", "'m": "am", "ca": "can", "wo": "will"}
_BE = frozenset({"be", "is", "are", "was", "were", "am", "'s", "'re", "'m"})
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does", "am": "is"}


@dataclass(frozen=True, slots=True)
class Operator:
    """The word before the subject of a question.

    ``moved`` are the tokens that it is made of; ``changed`` gives verbs another form.
    """

    words: str
    moved: frozenset[int] = frozenset()
    changed: dict[int, str] = field(default_factory=dict)


def auxiliaries(tree: Tree, verb: int) -> tuple[int, ...]:
    """Return the auxiliaries of a verb in order, without the ``to`` of an infinitive."""
    return tuple(i for i in tree.children(verb, "aux", "auxpass") if tree.tag(i) != "TO")


def find_operator(tree: Tree, verb: int, borrowed: tuple[int, ...] = ()) -> Operator | None:
    """Return the operator of a clause, or ``None`` if the parse has no finite verb.

    ``borrowed`` are the auxiliaries of an earlier conjunct ("was born in Paris and raised in Rome").
    """
    aux = auxiliaries(tree, verb)
    if aux:
        return _moved(tree, aux[0], verb)
    if is_be(tree, verb):
        return _moved(tree, verb, verb) if tree.tag(verb) not in {"VB", "VBN", "VBG"} else None
    tag = tree.tag(verb)
    if borrowed and tag in {"VB", "VBN", "VBG", "VBD"}:
        return Operator(expanded(tree, borrowed[0], verb))
    if tag == "VBP" and any(_is_singular(tree, i) for i in tree.children(verb, "nsubj")):
        tag = "VBZ"
    support = {"VBD": "did", "VBN": "did", "VBZ": "does", "VBP": "do"}.get(tag)
    if support is None:
        # "It lets you send as much", "Let it rest": the infinitive has a subject, but no auxiliary.
        has_to = any(tree.tag(i) == "TO" for i in tree.children(verb, "aux"))
        is_bare = tree.is_cut and tag == "VB" and tree.children(verb, "nsubj") and not has_to
        head = tree.heads[verb]
        is_told = tree.lower(head) == "let" and not tree.children(head, "nsubj")
        return Operator("should" if is_told else "can") if is_bare else None
    return Operator(support, changed={verb: base_form(tree, verb)})


def _is_singular(tree: Tree, subject: int) -> bool:
    return tree.tag(subject) in {"NN", "NNP"} and not tree.children(subject, "conj")


def _moved(tree: Tree, auxiliary: int, verb: int) -> Operator:
    """Move an auxiliary together with the ``n't`` that is written on it."""
    moved = [auxiliary]
    words = expanded(tree, auxiliary, verb)
    for negation in tree.children(verb, "neg"):
        if tree.lower(negation) == "n't" and negation == auxiliary + 1:
            moved.append(negation)
            words = tree.word(auxiliary) + tree.word(negation)
    return Operator(words.lower(), frozenset(moved))


def expanded(tree: Tree, auxiliary: int, verb: int) -> str:
    """Return an auxiliary in full: ``'s`` is "is" or "has", ``'d`` is "would" or "had"."""
    word = tree.lower(auxiliary)
    follows_participle = tree.tag(verb) == "VBN" and auxiliary != verb
    if word == "'s":
        if follows_participle and (tree.dep(auxiliary) == "aux" or is_be(tree, verb)):
            return "has"
        return "is"
    if word == "'d":
        is_would = tree.is_cut and any(tree.tag(i) == "VB" for i in auxiliaries(tree, verb))
        return "had" if follows_participle and not is_would else "would"
    return _CLITICS.get(word, word)


def is_be(tree: Tree, verb: int) -> bool:
    """Whether a verb is a form of "be"."""
    return tree.tokens[verb].lemma.lower() == "be" or tree.lower(verb) in _BE


def be(*, was: bool, is_plural: bool) -> str:
    """Return the form of "be" in the third person."""
    if was:
        return "were" if is_plural else "was"
    return "are" if is_plural else "is"


def is_past(tree: Tree, verb: int) -> bool:
    """Whether the verb group that a verb heads is in the past tense."""
    aux = auxiliaries(tree, verb)
    return tree.tag(aux[0] if aux else verb) in {"VBD", "VBN"}


def base_form(tree: Tree, verb: int) -> str:
    """Return the infinitive of a verb."""
    return tree.tokens[verb].lemma.lower() or tree.lower(verb)


def third_person(base: str) -> str:
    """Return the third person singular, present tense, of an infinitive."""
    if base in {"be", "have"}:
        return {"be": "is", "have": "has"}[base]
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def past_form(tree: Tree, participle: int) -> str | None:
    """Return the past tense of a participle, or ``None`` if the spelling does not show it."""
    word = tree.lower(participle)
    return IRREGULAR_PASTS.get(word, None if word.endswith("n") else word)


def agreed(tree: Tree, verb: int, body: tuple[Piece, ...], *, is_plural: bool) -> tuple[Piece, ...]:
    """Return the predicate after a wh-phrase as subject: clitics in full, verb in the third person."""
    aux = auxiliaries(tree, verb)
    finite = next((i for i in (*aux[:1], verb) if i in body), None)
    if finite is None:
        return body
    word = expanded(tree, finite, verb) if tree.word(finite)[0] in "'\u2019`" else tree.word(finite)
    attributes = tree.children(verb, "attr")
    is_plural = is_plural or any(map(tree.is_plural, attributes))
    if not is_plural and tree.tag(finite) in {"VBP", "VBD"}:
        if word.lower() in _SINGULAR:
            word = _SINGULAR[word.lower()]
        elif tree.tag(finite) == "VBP" and not aux and word.lower() == base_form(tree, verb):
            word = third_person(word.lower())
    return tuple(word if piece == finite and word != tree.word(finite) else piece for piece in body)
