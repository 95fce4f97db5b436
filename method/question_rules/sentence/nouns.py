"""Word lists that decide between wh-words; all other choices go by entity type and parse."""

# ruff: noqa: SIM905  # word lists read better as running text

PERSON_NOUNS = frozenset(
    """actor actress artist athlete author baby boss boy brother celebrity champion chef child
    children coach composer creator critic dad daughter designer developer director doctor driver
    economist engineer father founder friend gentleman girl grandfather grandmother guitarist guy
    historian host husband inventor journalist judge king kid lady lawyer leader mailman man manager men
    minister mom monarch mother musician novelist nurse owner painter parent patient people person
    philosopher photographer physician player poet politician president prince princess producer
    professor queen rapper scientist singer sister soldier son songwriter star student teacher
    winner wife woman women worker writer""".split()
)

PERSON_PRONOUNS = frozenset(
    """i me he him she her we us you who whom whoever someone somebody everyone everybody anyone
    anybody no-one nobody myself yourself himself herself ourselves themselves""".split()
)

EITHER_PRONOUNS = frozenset({"they", "them", "these", "those", "both", "some", "others"})

PLACE_NOUNS = frozenset(
    """area beach borough building castle city coast continent country county district
    farm forest hill home hospital hotel house island kingdom lake location mountain museum neighborhood
    ocean park place planet province region river school sea state street suburb town university
    valley village world""".split()
)

TIME_NOUNS = frozenset(
    """afternoon century date day decade era evening hour minute moment month morning night period
    season second time week weekend year""".split()
)

DURATION_UNITS = frozenset(
    """second seconds minute minutes hour hours day days week weeks month months year years decade
    decades century centuries
    millennium millennia""".split()
)

DISTANCE_UNITS = frozenset(
    """feet foot inch inches kilometer kilometers kilometre kilometres km meter meters metre metres
    mile miles yard yards""".split()
)

OF_PLACES = frozenset("borough city country county island province state town village".split())
"""Nouns that with "of" and a name are that place: "the city of Memphis"."""

WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())

EMPTY_NOUNS = frozenset("bit group kind lot number part sort time type variety way".split())
"""Nouns whose own kind is never what matters."""

FREQUENCY_WORDS = frozenset(
    "daily weekly monthly yearly annual annually every each hourly nightly".split()
)

PLACE_PREPOSITIONS = frozenset(
    "in at on near around across throughout within inside along outside".split()
)
TIME_PREPOSITIONS = frozenset("in on at during".split())

FRONTED_PREPOSITIONS = frozenset(
    "after before during since until till between among within throughout despite because".split()
)
"""Prepositions that move to the front with their wh-phrase; others are stranded."""

DISCOURSE_WORDS = frozenset(
    """actually also anyway but definitely either finally further furthermore haha hmm honestly
    however indeed just maybe moreover no nope oh ok okay perhaps probably really so still sure
    then though thus too unfortunately well wow yeah yep yes""".split()
)
"""Words that open or colour a sentence and say nothing that a question needs."""

IRREGULAR_PASTS = {
    "beaten": "beat",
    "begun": "began",
    "chosen": "chose",
    "drawn": "drew",
    "driven": "drove",
    "eaten": "ate",
    "given": "gave",
    "known": "knew",
    "ridden": "rode",
    "run": "ran",
    "seen": "saw",
    "shown": "showed",
    "spoken": "spoke",
    "stolen": "stole",
    "sung": "sang",
    "taken": "took",
    "thrown": "threw",
    "worn": "wore",
    "written": "wrote",
}
"""Past participles of common transitive verbs that differ from the past tense."""

PASSIVE_VERBS = frozenset(
    "built created educated established founded produced published raised recorded released".split()
)
"""Forms that, without an object, share the "was" of an earlier conjunct though tagged as past."""

OBJECT_PRONOUNS = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
