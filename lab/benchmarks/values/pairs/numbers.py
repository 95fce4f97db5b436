"""Pairs of counts, amounts of money, shares, bounds and rounded numbers."""

from __future__ import annotations

from lab.benchmarks.values.pairs.pair import (
    DIFFERS,
    HOLDS,
    UNSURE,
    AnswerPair,
    Draw,
    another,
    written,
)

_THINGS = ("members", "songs", "rooms", "students", "stations", "species")


def counts(draw: Draw) -> AnswerPair:
    """Make a pair of numbers of things."""
    number = draw.choice(
        [draw.randint(2, 12), draw.randint(13, 990), draw.randint(10, 99) * 100_000]
    )
    same = draw.random() < 0.5
    other = number if same else another(draw, number)
    things = draw.choice(_THINGS)
    ends = draw.choice([("", ""), (f" {things}", f" {things}"), (f" {things}", "")])
    return AnswerPair(
        "number",
        f"How many {things} are there?",
        written(draw, number) + ends[0],
        written(draw, other) + ends[1],
        HOLDS if same else DIFFERS,
    )


def money(draw: Draw) -> AnswerPair:
    """Make a pair of amounts of money, in one currency or two."""
    amount = draw.choice(
        [draw.randint(2, 900), draw.randint(2, 90) + 0.5, draw.randint(2, 40) * 100]
    )
    forms = {
        "eur": ("€{:,.2f}", "{:,.2f} euros", "EUR {:,.2f}", "{:.2f} €"),
        "usd": ("US${:,.2f}", "{:,.2f} US dollars", "USD {:,.2f}"),
        "gbp": ("£{:,.2f}", "{:,.2f} GBP"),
    }
    code = draw.choice(sorted(forms))
    case = draw.choice(["same", "other amount", "other currency"])
    other = another(draw, int(amount)) if case == "other amount" else amount
    others = draw.choice(sorted(forms.keys() - {code})) if case == "other currency" else code
    claim, known = (
        draw.choice(forms[of]).format(value).replace(".00", "")
        for of, value in ((code, amount), (others, other))
    )
    verdict = HOLDS if case == "same" else DIFFERS
    return AnswerPair("money", "How much is it?", claim, known, verdict, others != code)


def percentages(draw: Draw) -> AnswerPair:
    """Make a pair of shares."""
    share = draw.choice([draw.randint(1, 99), draw.randint(10, 900) / 10])
    case = draw.choice(["same", "other", "about", "ten times", "points"])
    claim, known = f"{share:g} %", f"{share:g} percent"
    verdict = HOLDS
    if case == "other":
        known, verdict = f"{share * 1.5:g}%", DIFFERS
    elif case == "about":
        claim = f"{draw.choice(['about', 'around', 'approximately'])} {share:g}%"
    elif case == "ten times":
        known, verdict = f"{share * 10:g} %", DIFFERS
    elif case == "points":
        known, verdict = f"{share:g} percentage points", UNSURE
    return AnswerPair("percentage", "What share is it?", claim, known, verdict, case == "points")


def bounds(draw: Draw) -> AnswerPair:
    """Make a pair of bounds, ranges and numbers within or outside of them."""
    number = draw.randint(300, 900)
    near = number + draw.randint(1, 20)
    cases = (
        (f"more than {number}", str(near), HOLDS),
        (f"over {number}", str(near), HOLDS),
        (f"fewer than {near}", str(number), HOLDS),
        (f"more than {near}", str(number), DIFFERS),
        (f"less than {number}", str(near), DIFFERS),
        (f"under {number // 2}", str(near), DIFFERS),
        (f"at least {number}", str(number), HOLDS),
        (f"up to {number}", str(number), HOLDS),
        (f"at least {number}", f"up to {number}", DIFFERS),
        (f"at least {number}", str(number * 2), UNSURE),
        (f"up to {number}", f"up to {number // 2}", UNSURE),
        (f"at least {number}", str(number // 2), DIFFERS),
        (f"about {number}", str(number + 2), HOLDS),
        (f"about {number}", str(number * 3), DIFFERS),
        (str(near), f"more than {number}", UNSURE),
        (f"{number} or more", f"at least {number}", HOLDS),
        (f"{number} to {near}", f"between {number} and {near}", HOLDS),
        (f"{number}-{near}", str(near + 400), DIFFERS),
    )
    claim, known, verdict = draw.choice(cases)
    return AnswerPair("bound", "How many people came?", claim, known, verdict)


def rounded(draw: Draw) -> AnswerPair:
    """Make a pair of a number and its rounding."""
    exact = draw.randint(1_100_000, 9_800_000)
    coarse = f"{exact / 1e6:.1f} million"
    case = draw.choice(["rounded", "too exact", "other"])
    claim, known, verdict = coarse, f"{exact:,}", HOLDS
    if case == "too exact":
        claim, known, verdict = known, coarse, UNSURE
    elif case == "other":
        claim, verdict = f"{exact / 1e6 + 1.2:.1f} million", DIFFERS
    if case == "rounded" and abs(float(coarse.split(maxsplit=1)[0]) * 1e6 / exact - 1) > 0.02:
        verdict = UNSURE
    return AnswerPair("rounded number", "How many people live there?", claim, known, verdict)
