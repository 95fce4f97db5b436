"""Sentences by which a service desk speaks of its own work, and the labels of its buttons.

Patterns read a sentence in lower case with straight apostrophes and single spaces, from its beginning.
"""

import re

_ENDS_THERE = r"(?=[.,;!]|$| (?:for|so|and|on|with|now|to|as|here)\b)"
_ABOUT_THE_CHAT = re.compile(
    # "I've created a ticket for you", "I'll close this chat now."
    r"(?:i|we)(?:'ve|'ll|'m|'re| have| will| am| are| just)?(?: (?:also|now|just|already|gone ahead and|going to))* "
    r"(?:creat|open|rais|submit|submitt|logg?|fil|escalat|forward|pass|notif|flagg?|clos|end|mark|record|not)(?:e|ed|es|ing|y|ied|ying)? "
    r"(?:this |your |the |a |an |our |it |on )?(?:\w+ ){0,2}?(?:ticket|case|request|chat|conversation|session|issue|question|inquiry|enquiry|feedback|(?:to )?(?:our|the) team)"
    + _ENDS_THERE
    + r"|if you(?:'d| would)? (?:like|want|need|wish) (?:to (?:know|learn|hear|read|see|find out) more|more (?:information|details|help))\b"
    # "We'd love to hear your feedback!", "Take our short survey"
    r"|(?:we|i)(?:'d| would| do)? (?:really |truly )?(?:love|like|appreciate|value) (?:to (?:hear|get|know|have) )?(?:your (?:\w+ )?(?:feedback|opinion|thoughts|input)|what you (?:think|thought)\b)"
    r"|(?:please )?(?:take|complete|fill (?:in|out)|answer) (?:our|this|a) (?:short |quick |brief |\d-minute |\w+ ){0,3}survey\b"
    r"|(?:please )?(?:share|leave|give)(?: us| me)? (?:your|some) (?:\w+ )?(?:feedback|review|rating|opinion)\b"
    r"|your (?:feedback|opinion|input) (?:is|helps|matters|means)\b"
    r"|(?:(?:please|and|don't forget to|remember to|be sure to|make sure to) )*(?:subscribe to|sign up for|join) our (?:\w+ ){0,2}(?:newsletter|channel|mailing list|blog|podcast|community)\b"
    r"|(?:(?:please|and|don't forget to|remember to|be sure to|make sure to) )*follow us on\b"
    r"|you(?:'ll| will| may) (?:now |also |then )?(?:receive|get|be sent|be asked to (?:take|complete)) (?:an? |our )?(?:\w+ ){0,2}survey\b"
    # "A colleague will get back to you shortly"; how long it takes would be a claim.
    r"|(?!.*\b(?:hours?|days?|weeks?|minutes?)\b)(?:an? |one of |our |someone (?:from|on|in) |the |my )*(?:\w+ ){0,2}?(?:colleagues?|agents?|specialists?|team(?: members?)?|advis[oe]rs?|representatives?|experts?|human) "
    r"(?:will|is going to) (?:\w+ )?(?:get back to|contact|reach out to|be in touch|follow up|reply to|respond to|take (?:it|this|over))\b"
    r"|(?:please )?(?:don't|do not|never) (?:share|send|enter|include|post) (?:any |your )?(?:personal|sensitive|confidential|private) (?:or \w+ )?(?:data|information|info|details)\b"
    r"|(?:please |just |simply )*(?:reply|type|press|send) \d (?:for|if)\b.{0,40}\b(?:or|and) \d (?:for|if)\b"
)
_CALL_US = re.compile(
    r"(?:for [\w ]{3,40}, )?(?:(?:please|just|simply|you can|you may|or|feel free to) )*"
    r"(?:give us a (?:call|ring|shout)|drop us a (?:line|note|message)|send us an? (?:e-?mail|message|text)|write to us|call us)\b[^\d@]{0,40}$"
)
"""A sentence that sends its reader to the service, without a number or an address."""
_WORDS_ABOUT_THE_CHAT = 24
_LABEL = (
    r"(?:(?:talk|speak|chat) (?:to|with) (?:us|(?:an? |our |the )?(?:human|agent|person|advisor|team|support|live agent|representative|specialist))|"
    r"(?:back to |go to |return to )?(?:the )?(?:main )?menu|start (?:over|again)|(?:end|close|leave) (?:the |this )?chat|(?:that|this) (?:helped|solved it|answers it)|not helpful|helpful|"
    r"something else|none of (?:these|the above)|more options|ask (?:another|a new) question|contact (?:us|support)|"
    r"copy|share|regenerate|retry|like|dislike|read aloud|(?:show|view|see|hide) (?:more|less|sources)|good response|bad response|(?:thumbs )?(?:up|down)|report(?: an issue)?)"
)
LABELS = re.compile(rf"{_LABEL}(?:(?: ?[·|•/] ?| {{1,3}}){_LABEL}){{0,8}}[.!? ]*$")
"""The buttons under an answer."""
SIGNATURE = re.compile(
    r"(?:(?!(?:The|A|An)\b)[A-Z][\w&'-]*,? ){0,3}(?:AI Agent|AI Assistant|Virtual (?:Assistant|Agent)|Chat ?[Bb]ot|Support Team|Customer (?:Support|Service|Care)(?: Team)?)[.! ]*$"
)
"""A line with the name of a bot or of a team that answers, with its capitals."""
LINK = re.compile(
    r"(?:here(?:'s| is) (?:the|a|your) (?:direct )?link\b.{0,80}|(?:read|see|view|open|go to|visit) (?:the |this |our )?"
    r"(?:(?:full|complete|original|whole|related|help|entire) )*(?:article|guide|page|faq|document|post|story|policy|details|answer)s?)[ →>».!]*$"
)
"""The words of a link to the source."""
OF_A_BOT = re.compile(
    r"(?:please note (?:that )?)?(?:i'm|i am|we're|we are) not (?:an? )?(?:\w+ )?(?:doctor|lawyer|attorney|accountant|physician|(?:financial|tax|legal|investment) advis[oe]r|(?:medical|legal|healthcare) professional)s?\b"
    r"|you(?:'re| are) (?:now |currently )?(?:chatting|talking|speaking|messaging) (?:to|with) (?:an? |our )?(?:\w+ ){0,2}(?:ai|bot|chat ?bot|assistant|agent|model)\b[^,;:]{0,30}$"
    r"|(?:ai |its |my |our |these |the )?(?:answers|responses|replies) (?:may|might) (?:not (?:always )?be (?:\w+ )?(?:accurate|correct|complete|up to date)|(?:sometimes )?be (?:wrong|incorrect|inaccurate|outdated))\b"
)
"""Sentences of a bot about what it is, and is not."""
PLEASED = re.compile(
    r"(?:(?:it's|it is|it was|so|always|very) )*(?:great|good|nice|lovely|wonderful|a pleasure) to (?:hear from|see|have|meet|assist|chat with|help) you\b[^,;:]{0,30}$"
)
AS_OF = re.compile(
    r"(?:this |the |all )?(?:information|info|content|answer)(?: above| here| provided)?(?: is| was)? (?:accurate|correct|current|valid|up[- ]to[- ]date) (?:as of|on) .{4,40}$"
)
"""A line that says when an answer was right."""


def speaks_of_the_chat(lower: str, words: int) -> bool:
    """Whether a sentence tells what the service does for its customer, or asks to be judged."""
    if LABELS.match(lower) or _CALL_US.match(lower):
        return True
    return words <= _WORDS_ABOUT_THE_CHAT and _ABOUT_THE_CHAT.match(lower) is not None
