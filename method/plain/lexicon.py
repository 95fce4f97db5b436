"""The words by which sentences of replies are told apart, and the lead-ins of claims.

Patterns read a sentence in lower case with straight apostrophes and single spaces, from its beginning.
"""

import re

_I_AM = r"(?:i'm|i am|we're|we are)"
MATTER = (
    r"(?:article|document|documentation|docs?|help(?: (?:cent(?:re|er)|desk|page|section|portal|topic))?|knowledge|information|info|page|polic(?:y|ies)|source|"
    r"context|passage|web ?site|site|search|result|record|guide|guideline|manual|faq|text|database|data|"
    r"wikipedia|handbook|terms|notes?|files?|materials?|excerpt|snippet|catalogue|catalog|system|"
    r"details|team|support|entry|report|sheet|rules?|(?:knowledge )?base|kb)s?"
)
GREETING = re.compile(
    r"(?:hi|hello|hey|hiya|howdy|greetings|welcome|dear|good (?:morning|afternoon|evening|day)|"
    r"nice to meet you|pleased to meet you|how are you)\b"
)
GREETED = frozenset(
    [
        *("morning", "afternoon", "evening", "day"),
        "there",
        "all",
        "everyone",
        "everybody",
        "again",
        "and",
        "welcome",
        "to",
        "the",
        "a",
        "back",
        "sir",
        "madam",
        "friend",
        "team",
        "customer",
        "guest",
        "valued",
        "mr",
        "mrs",
        "ms",
        "dr",
        "doing",
        "today",
        "my",
        "folks",
        "you",
        "from",
        "at",
        "of",
    ]
)
"""The words of a greeting beside names."""
AI = r"(?:ai|a\.i\.|artificial intelligence|(?:large )?language model|virtual assistant|virtual agent|chat ?bot|automated (?:assistant|system|agent))"
INTRODUCTION = re.compile(
    r"(?:(?:hi|hello|hey|welcome|good (?:morning|afternoon|evening))\b[^.?!,]{0,20}[,!] )?(?:i'm|i am|my name is|my name's|this is|you(?:'re| are) (?:chatting|speaking|talking) (?:to|with)) "
    r"(?P<name>(?!not\b|the\b)[\w'-]+)(?: [\w'-]+){0,2} ?(?:,| here| and (?:i'm|i am|i'll|i will)| from| with| at|[,.] (?:i'm|i am))? ?(?:and )?"
    r"(?:(?:be |here |happy |glad |going )*(?:helping|assisting|to help|to assist|help you|assist you)\b.{0,40}|(?:(?:your|the|a|an|our|from|with|at|of) )?(?:[\w'-]+ ){0,4}"
    r"(?:assistant|bot|chatbot|agent|team|support|specialist|representative|care|service|helper|advisor|concierge))[.! ]*$"
)
"""Sentences by which a bot or an agent says who it is."""
WORDS_OF_INTRODUCTION = 16
THANKS = re.compile(
    r"(?:(?:(?:oh|ok|okay|great|ha|haha|wow|aww?|yes|no|sure|cool|awesome|nice|perfect)[,!]? )?(?:many thanks|thanks|thank you|thx|cheers for|(?:i|we) (?:really |do |truly )?appreciate (?:your|you|it|that|the)|much appreciated)\b|"
    r"(?:you're|you are) (?:very |most )?welcome|my pleasure|(?:that|it)(?:'s| is) (?:so |very |really )?kind of you|how (?:kind|sweet|nice) of you|no problem|no worries|any ?time[.!]|(?:i'm |i am |we're )?(?:so |very |really )?(?:glad|happy) (?:that )?you (?:asked|wrote|reached out|contacted|got in touch)|glad (?:i|we|to)\b|"
    r"(?:i'm|i am|we're|we are) (?:so |very )?glad (?:i|we|that i|to) (?:could|was able|were able|help))"
)
SIGN_OFF = re.compile(
    r"(?:(?:best|kind|warm|warmest|kindest|with (?:best|kind|warm)) (?:regards|wishes|greetings)\b|"
    r"(?:yours )?(?:sincerely|faithfully|truly)\b|"
    r"(?:regards|yours|best|hth|kr|br|rgds|cheers|all the best|warmly|take care|stay (?:safe|well|healthy|tuned)|bye|bye bye|goodbye|good ?bye|see you(?: \w+)?|farewell|"
    r"talk (?:to you )?(?:soon|later)|until (?:next time|then)|good luck|enjoy)(?:[,!.…]+ ?[\w .'&-]{0,40}| for now| then| and (?:stay|have|see|take) [\w ]{1,30})?[,!. ]*$|"
    r"(?:have|enjoy|wishing you|i wish you)(?: yourself)? (?:a |an |your |the )?(?:\w+ )?(?:\w+ )?(?:day|evening|night|weekend|week|trip|"
    r"flight|stay|time|one|visit|rest|reading|holiday)s?\b|(?:i |we )?(?:really |do )?hope (?:you(?:'re| are)(?: \w+)? (?:having|doing|well|enjoying)\b|you(?:'ve| have) had\b|all is well|everything is|(?:this|my) (?:message|e-?mail|letter|note) finds you)|(?:i |we )?hope (?:this|that|it)(?: \w+)? (?:helps|is helpful|was helpful|answers|clears)|"
    r"hope i (?:could|was able)|happy \w+ing[!.]|safe travels|it (?:was|has been) (?:nice|great|good|a pleasure) (?:talking|chatting|speaking|to (?:talk|chat|speak))|"
    r"(?:it was )?(?:nice|great|good) (?:talking|chatting|speaking)|sent (?:from my|from|via|with) \w+(?: \w+)?[.! ]*$|get outlook for)"
)
SIGN_OFF_WORDS = 14
CLOSING_LINE = re.compile(
    r"(?:(?:best|kind|warm|warmest|kindest|with (?:best|kind|warm))? ?(?:regards|wishes)|(?:yours )?(?:sincerely|faithfully|truly)|yours|"
    r"best|hth|kr|br|rgds|cheers|all the best|warmly|many thanks|thanks|thank you)[,.! ]*$"
)
"""A line after which the writer signs."""
SIGNATURE = re.compile(
    r"[—–-]{1,2} ?\w|(?:your|the) (?!.*\b(?:is|are|was|were|has|have|had|will|can|did|does|do|made|joined|won|by|of)\b)(?:[\w&'-]+ ){0,4}(?:team|support|assistant|bot)\b[.! ]*$"
)
_HELPERS = (
    r"(?:us|support|team|service|services|desk|helpdesk|staff|agents?|colleagues?|representatives?|specialists?|advisors?|"
    r"experts?|department|office|reception|store|shop|branch|human|someone|somebody|hotline|helpline|provider|manager)"
)
POINTER = re.compile(
    r"(?:(?:so|but|and|or|otherwise|instead|alternatively|in that case|for (?:this|that|(?:more |further |any )?(?:help|assistance|information|details|questions))),? )*"
    r"(?:please |kindly |perhaps |maybe |you(?:'ll| can| could| may| might| should| will)?(?: want to| need to| like to| have to)? |"
    r"(?:i|we)(?:'d| would)? (?:suggest|recommend|advise|encourage)(?: that)?(?: you)?(?: to)? |(?:the )?best (?:is to|thing is to|to) |try (?:to )?|it(?:'s| is) best to )?"
    r"(?:please |also |always |instead |directly |simply |just )*"
    r"(?:call|contact|e-?mail|ring|phone|message|text|write to|reach(?: out to)?|visit|ask|see|speak (?:to|with)|talk (?:to|with)|chat with|get in touch with|turn to|"
    r"contacting|calling|e-?mailing|reaching out to|asking|speaking (?:to|with)|talking (?:to|with)|getting in touch with|checking with|check with) "
    rf"(?!your\b)(?:(?!your )[\w&'-]+ ){{0,5}}?{_HELPERS}\b(?: (?:members?|agents?|team|staff|desk|department|people))?"
    r"(?: (?:directly|instead|again|first|by phone|by e-?mail|on the phone|in person|so (?:that )?(?:they|we) can .{1,60}|who can .{1,60}|and (?:they|we)(?:'ll| will| can) .{1,60}|if (?:you|there)\b.{1,60}|"
    r"(?:for|about|regarding|concerning|with|to (?:get|find|learn|know|help|assist|confirm|check|verify|clarify|discuss)) .{1,60}|(?:via|on|through|by|using|over|at) (?:our|the|your|their|this) (?:[\w'-]+ ){0,3}(?:page|form|website|site|app|chat|phone|portal|e-?mail|hotline|number|line)))*"
    r"[.! ]*$"
)
"""A sentence that sends the reader to a person; one with a number or an address claims it (`FACT`)."""
WORDS_OF_POINTER = 24
OFFER = re.compile(
    r"(?:(?:if (?:not|so|anything is unclear|in doubt|necessary),? )?(?:please )?(?:just |simply )?(?:let me know|let us know)\b|(?:please )?(?:do |always )?feel free\b|please (?:do not|don't) hesitate|"
    r"(?:do not|don't) hesitate|(?:is there |do you need |do you want |can i help with |may i help with |need )?anything else\b|"
    r"(?:(?:but|and|so) )?if (?:you|there)(?:'re|'d| are| have| need| want| would| is| should|'ve)?\b.{0,80}\b(?:question|questions|help|assistance|anything else|let (?:me|us) know|"
    r"just ask|ask me|reach out|feel free|happy to|glad to|hesitate)|"
    r"(?:would you like|do you want|shall i|should i|can i|may i|could i|want)(?: me)?(?: to)? (?:\w+ ){0,3}?(?:help|assist|check|look|look up|explain|tell|show|send|know more|find|provide|hear|"
    r"book|connect|forward|go through|walk)\b.*\?|"
    r"how (?:can|may|could) (?:i|we) (?:help|assist|be of)|what can (?:i|we) (?:do|help)|"
    rf"(?:{_I_AM}|i'll be|i'd be|we'd be|i would be|we would be|always|(?:more than )?happy|glad) ?(?:always |also |more than |very |just )?(?:here|happy|glad|available)?(?: if you| to (?:help|assist|answer|check|look|explain|tell|provide|clarify|find))\b|"
    r"(?:i|we) can (?:also |certainly |gladly )?(?:help|assist) (?:you|with)|(?:you can |you may )?(?:always )?(?:reach out|get in touch|contact (?:me|us)) (?:if|any ?time|with any|for (?:any|further|more))|"
    r"(?:you (?:might|may|can|could) also (?:ask|want to know|be interested in)|people also ask|suggested questions?)\b[^.!?]{0,60}:?$|"
    r"(?:just |please |or |simply )*(?:reply|type|text|say|respond|answer|enter|send)(?: with)? [\"'(]?(?:\d|\w{1,12})[\"')]? (?:for (?:more|an agent|an? \w+ agent|help|the menu|other)|to (?:talk|speak|chat|unsubscribe|stop|go back|return|continue|see more|end|start over|connect|opt out|repeat|hear|get help))\b|"
    r"how would you rate\b|(?:(?:please|and|do|don't forget to|remember to) )*(?:rate|review) (?:this|our|my|your) \w+|"
    r"(?:i'm|i am|i'll be|we're) (?:now )?(?:transferring|forwarding|connecting|escalating|handing) (?:you|this|your \w+)\b|(?:did|does|has) (?:this|that|it|the above|my answer|our answer|the answer)\b.{0,20}\b(?:answer|help|solve|resolve|address)\b|"
    r"i'm here\b|just ask\b|ask me\b|(?:please )?(?:just |simply )?(?:reply|respond|write back|get back) to (?:this|us|me)\b|"
    r"(?:was|is) (?:this|that|it|the|my) ?(?:answer|reply|response|information)? ?helpful\b)"
)
_KNOWN = r"(?:information|info|details?|data|answers?|access|ideas?|knowledge|records?|clue|sources?|evidence)\b"
_NOTHING_KNOWN = (
    r"(?:know\b(?! (?:any|anyone|anybody|many|a single)\b)|(?:have|see) (?:any |enough |the |that |this |access|much |specific |a |an |more |\w+ ){0,3}?(?:{_KNOWN}|mention)|(?:find|locate|confirm|verify|determine|disclose)\b"
    r"(?! (?:it|them|that) (?:\w+ )?(?:hard|difficult|easy|interesting|boring|funny))|"
    r"answer\b|(?:tell|give|show) you|provide\b|access\b|help\b(?! (?:but|it|myself)\b)|recall\b|remember\b|say\b|discuss\b|comment\b|assist\b|"
    r"be (?:sure|certain)|understand (?:your|the|this|that|what you)\b|share\b)"
).replace("{_KNOWN}", _KNOWN)
REFUSAL = re.compile(
    r"(?:(?:but|well|hmm|honestly|oh|so|no|as far as i can see),? ?)*"
    r"(?:(?:i'm|i am|we're|we are)? ?(?:so |very |really |afraid |deeply )?(?:sorry|apologi[sz]e|my apologies|unfortunately|i(?:'m| am) afraid|regrettably)?[,.]? ?(?:but |that |, )?)"
    # What a company does not share or provide is its policy.
    rf"(?:(?:i|we(?! (?:do not|don't|did not|didn't|will not|won't) (?:\w+ )?(?:share|disclose|provide|give|show|discuss|say|tell|help|access|find|locate|comment|verify|determine|assist|recall|remember|see)\b)) (?:really |honestly |actually |also |currently |personally |just )?(?:don't|do not|can't|cannot|can not|couldn't|could not|am unable to|are unable to|was unable to|were unable to|"
    rf"am not able to|was not able to|haven't|have not|wasn't able to|won't be able to) (?:really |honestly |actually |even |currently |personally |yet |exactly )?{_NOTHING_KNOWN}|"
    r"(?:i |we )?(?:honestly |really )?(?:can't|cannot|couldn't|could not) (?:really |honestly )?(?:say|tell|find|think of any)\b|"
    rf"(?:i|we) (?:currently |unfortunately |really )?have (?:no|not any) (?:\w+ )?{_KNOWN}|(?:i|we)(?:'ve| have)? (?:not|haven't|never) (?:found|heard (?:of|about)|been given|been able)|(?:i|we) haven't (?:found|heard (?:of|about)|been able)|"
    r"(?:i'm|i am|we're|we are) (?:just |really |honestly |also )?(?:not (?:really |entirely |quite |very |too |exactly |100% )?(?:sure(?! (?:i|that)\b)|certain|aware|familiar|able|allowed)|unable|unaware|unsure|uncertain|no expert|not an expert)|"
    r"(?:i'm not|i am not)$|"
    # What the assistant is for, not what a company does.
    r"i (?:can|am able to|could) only (?:answer|respond to|help (?:you )?with|assist (?:you )?with|discuss|talk about|provide (?:you with )?(?:information|info|details|answers))\b|"
    r"i only have (?:\w+ ){0,2}?(?:information|info|details|data|knowledge|access)\b(?! that\b)|my (?:\w+ )?knowledge is limited to\b|"
    r"not sure\b|no idea|don't know|do not know|i wish i knew|"
    r"(?:there is|there's|there are|i see|i find|i found) (?:currently |unfortunately )?(?:(?:no|not any) (?:\w+ )?(?:information|info|details?|mention|data|answer|article|document|source|entry|record(?! (?:of|that)))|nothing (?:about|on))\b|"
    rf"(?:the|this|these|my|our|your) (?:\w+ ){{0,3}}{MATTER}(?: (?:i have|provided|given|available|at hand|above|you provided|here))? (?:do|does|did)(?:n't| not) (?:\w+ )?(?:say|state|mention|specify|tell|indicate|address)\b|"
    # "The policy does not cover floods" and "the team did not have time" claim something.
    rf"(?:the|this|these|my|our|your) (?:\w+ ){{0,3}}(?!(?:team|support|system|polic(?:y|ies)|rule|term|record|report|search|site|web ?site)s?\b){MATTER}(?: (?:i have|provided|given|available|at hand|above|you provided|here))? (?:do|does|did)(?:n't| not) (?:\w+ )?(?:contain|include|provide|cover|answer|give|list|have)\b|"
    rf"(?:the|this|these|my|our|your) (?:\w+ ){{0,3}}{MATTER}(?: (?:i have|provided|given|available|at hand|above|here))? (?:says?|states?|contains?|mentions?|has|have|includes?|provides?|gives?|tells?(?: me| us)?|offers?) (?:\w+ )?(?:nothing|no (?:\w+ )?{_KNOWN}|no (?:mention|word))\b|"
    rf"(?:this|that|it|the \w+)(?:'s| is|) (?:not|isn't|n't) (?:stated|mentioned|specified|covered|included|something i (?:can|know)|in (?:the|my|our) {MATTER})|"
    r"that(?:'s| is) (?:outside|beyond|not something)|as an ai\b(?!.{0,60}\bi can (?:tell|say|confirm|inform|share)\b)|no (?:\w+ )?(?:information|info|details?|answer|data) (?:\w+ )?(?:is|was|are|were|could be) (?:\w+ )?(?:available|found|given|provided)|"
    r"(?:that|this|it)(?: information)? (?:is|was) not (?:available|provided|given|found))"
)
TURN = re.compile(
    r"\bbut (?!(?:i|we)(?:'ll|'m|'d| am| can| could| will| would| suggest| recommend)\b|please|let\b|"
    r"you (?:can|could|may|might)|feel)[\w'-]+:? [\w'-]+ [\w'-]+|\bbut i (?:do )?know\b|\bhowever,|, i (?:just|only|do) know\b"
)
"""After it a refusal or an apology goes on with a claim."""
APOLOGY = re.compile(
    rf"(?:oh,? |oops,? |ah,? )?(?:{_I_AM} )?(?:so |very |really |truly |deeply |terribly )?(?:sorry|apologi[sz]e)\b|"
    r"(?:i|we) (?:do |sincerely |deeply )?(?:apologi[sz]e|regret)|(?:my|our) (?:\w+ )?apolog(?:y|ies)|apologies|please accept|pardon|forgive me|excuse me|my bad|my mistake"
)
APOLOGY_WORDS = 16
TAG_QUESTION = re.compile(
    r"(?!(?:what|how|where|when|which|who|why|whose|do|did|does|have|has|are|is|was|were|would|can|could|will|should|"
    r"don't|doesn't|didn't|isn't|aren't|you)\b)\w+ \w+.*\w,? "
    r"(?:(?:(?:is|are|was|were|does|do|did|has|have|had|ca|wo|would|should|could)n't (?:it|he|she|they|we|that|there)|"
    r"don't you (?:think|agree|know|feel|find)(?: so)?|right|correct|huh|eh|you know|know what i mean)|"
    r"(?<=, )(?:no|yes|yeah|is it|are they|was it|did they|does it))\?+$"
)
STATED_QUESTION = re.compile(
    r"(?:so,? )?did you know\b(?! (?:him|her|them|it|this|about)\?)|guess what\b"
)
_ADJECTIVE = (
    r"(?:great|good|nice|cool|awesome|amazing|wonderful|interesting|fascinating|fantastic|excellent|incredible|"
    r"beautiful|terrible|horrible|awful|scary|fun|funny|hilarious|right|correct|true|perfect|crazy|neat|impressive|sad|"
    r"too bad|lovely|understandable|fair|sweet|fine|okay|ok|tough|rough|wild|insane|unfortunate|surprising|strange|weird|"
    r"exciting|delicious|lucky|kind|handy|for sure)"
)
ACKNOWLEDGEMENT = re.compile(
    r"(?:(?:yes|yeah|yep|yup|yea|ya|no|nope|nah|sure|sure thing|of course|certainly|absolutely|definitely|exactly|precisely|totally|indeed|right|"
    r"okay|ok|alright|all right|roger that|yum|yummy|wow|oh|oh wow|aww?|ah|aha|ha|haha+|hehe+|lol|hmm+|mmm+|well|cheers|"
    rf"(?:so |very |pretty |really |quite |super |how |too )?{_ADJECTIVE}(?: (?:question|point|one|choice|idea|stuff|thing))?|"
    r"x{1,3}|i see|i agree|i concur|me too|same here|same|likewise|me neither|understood|got it|noted|gotcha|agreed|"
    rf"(?:what a |that's a |that is a )?(?:{_ADJECTIVE}) (?:question|point|one|choice|idea)|"
    rf"(?:that|it|this)(?:'s| is| was| sounds?| would be| must be| must have been| seems| does ?n[o']?t sound)? (?:so |very |really |pretty |quite |super |just |too |a bit |absolutely )*{_ADJECTIVE}(?: to (?:hear|know))?|"
    r"(?:that|it|this) (?:makes sense|sure is|really is)|makes sense|"
    r"(?:good|great|nice|glad|happy|sorry) to (?:hear|know)(?: that)?|glad you (?:like|liked|enjoy|enjoyed|think so)(?: it| that)?|"
    r"you(?:'re| are) (?:absolutely |totally |quite |completely )?right|no way|oh no|oh my|my goodness|please|maybe|perhaps|probably|"
    r"i (?:think|guess|hope|suppose|know|believe|bet|doubt) (?:so|it|not)|i know|i know right|me|"
    r"(?:i|it|they|we|that|he|she|you|there) (?:really |sure |certainly |definitely |actually |also )?(?:it )?(?:do|does|did|have|has|is|are|am|was|were|will|can|would|could|should)(?:n't| not)?(?: as well| too)?|"
    r"that it (?:is|does|was|did))"
    r"(?:,? (?:too|indeed|then|so|well|there|though|man|it is|it does|i do|i am|i have|i see|i agree|really|dude|friend|sir))*[ ,.!?…-]*)+$"
)
SYMPATHY = re.compile(
    r"(?:i|we) (?:can |do |fully |completely |totally |certainly )*(?:understand|realize|realise|appreciate|know|see|imagine) "
    r"(?:how|that|your|why|what|the)\b.{0,60}\b(?:frustrat|concern|inconvenien|difficult|disappoint|annoy|stress|upset|worr|confus|"
    r"important|urgen)\w*"
)
LOOK_UP = re.compile(
    r"(?:(?:sure|ok|okay|of course|certainly|absolutely|yes|great|alright)[,.!]? )?(?:let me|let's|allow me to|i'll|i will|i'm going to) (?:just |quickly |first )?"
    r"(?:check|think\b|look (?:that|this|it|into|up|at (?:the|our|your) .{1,40}first)|see\b|find (?:that|this|it|out)|help you|explain|walk you|clarify|summari[sz]e|break (?:it|this|that) down|answer (?:that|this|your)|pull up|take a look|get (?:that|this|the))"
    r"|(?:searching|looking|checking|retrieving|fetching|analy[sz]ing|reading|thinking|reasoning|generating|processing|working|loading|consulting|reviewing|browsing|scanning)\b[^.!?,]{0,50}(?:\.\.\.|…)$"
    rf"|(?:i|we)(?:'ve| have)? (?:just |now |quickly |already )?(?:(?:looked|checked) into (?:this|that|it|your \w+)|(?:checked|searched|reviewed|read|looked (?:through|at|in)|gone through|had a look at|consulted|scanned) (?:this|that|(?:the|our|your|all) (?:[\w'-]+ ){{0,3}}{MATTER}))(?: for you)?[.! ]*$"
    r"|(?:just )?(?:a|one) (?:moment|second|sec|minute)\b|(?:please )?(?:hold on|hang on|bear with me|wait a (?:moment|second))\b"
)
"""Sentences of a bot that looks something up."""
WORDS_OF_LOOK_UP = 14
DISCLAIMER = re.compile(
    r"(?:(?:please )?(?:note|be aware|remember|keep in mind)(?: that|:)? |(?:disclaimer|note|important|caution|warning)\W{1,3})*"
    rf"(?:(?:i am|i'm|i, as) (?:just |only )?(?:an? )?(?:\w+ ){{0,2}}{AI}\b|"
    rf"(?:this|the above|the) (?:answer|response|message|reply|information|content|text|summary|conversation)s?(?: \w+){{0,3}} (?:(?:generated|created|produced|written|provided|powered) "
    rf"(?:\w+ )?(?:automatically\b|(?:by|with|using)(?: an?| our)? (?:\w+ )?(?:{AI}|machine|bot)\b)|(?:automatically|ai|machine)[- ](?:generated|created|produced|written))|"
    r"(?:this|the above|the) (?:answer|response|message|reply|information|content|text|summary)s?(?: (?:may|might|can|could))(?: \w+){0,3} (?:incorrect|inaccurate|incomplete|wrong|outdated|out of date|errors?|mistakes?|inaccuracies)\b|"
    r"(?:this|the|these) (?:information|content|answer|material|overview)s? (?:is|are) (?:\w+ ){0,2}for (?:general |educational |your )?(?:information|informational|guidance|purposes)\b|"
    r"(?:i|chatgpt|copilot|claude|gemini|(?:this|the|our) (?:\w+ )?(?:assistant|bot|chatbot|ai|tool|model)|\w{2,20}bot) (?:can|may|might) (?:also |sometimes |occasionally |still )?(?:make|contain|be|produce|give|display|provide|generate) (?:\w+ )?(?:mistakes?|errors?|wrong|incorrect|inaccurate|outdated)\b|"
    r"(?:this|the) (?:e-?mail|message|communication)(?:,? (?:and|including) (?:any|its|all) attachments?,?)? (?:is|are|may be|may contain|contains?|was sent) (?:\w+ ){0,4}(?:confidential|intended|privileged|automatically)|if you are not the intended recipient|"
    r"this is an? (?:automated|automatic|auto-generated|automatically generated|system|ai[- ]generated) (?:message|response|reply|e-?mail|answer)|(?:please )?(?:do not|don't) reply\b|"
    r"all rights reserved|(?:message|msg)(?:s| and|&| )+data rates|"
    r"(?:this|your) (?:conversation|chat|call)s? (?:may|might|can|will|is|are) (?:be )?(?:recorded|monitored|logged|stored)\b|"
    r"(?:this|the above|it)(?: \w+)? (?:is|does|should)(?: not|n't)(?: \w+){0,4} (?:legal|medical|financial|professional|investment|tax) advice|"
    rf"{AI}(?:-generated)?(?: \w+){{0,2}} (?:can|may|might)(?: \w+){{0,2}} (?:mistakes|errors|wrong|incorrect|inaccurate)|ai[- ]generated\b|generated by {AI}\b|"
    r"(?:please |always |you should |i recommend (?:that )?you |we recommend (?:that )?you |i'd recommend |i recommend |we recommend |it's (?:best|always best|a good idea) to |make sure to |be sure to )*"
    r"(?:double[- ]?check|verify|verifying|double[- ]?checking|consult|consulting|refer(?:ring)? to|check|checking) (?:(?:this|the|these|any|all|important|critical|with|our|your|an?|official|above|relevant) )+"
    r"(?:\w+ ){0,3}?(?:information|info|answers?|details|facts|documentation|documents?|website|site|sources?|professional|lawyer|doctor|advisor|expert|policy|page)\b)"
)
"""Sentences of a bot about itself and its answers."""
WORDS_OF_DISCLAIMER = 24
SOURCE = re.compile(
    r"(?:sources?|references?|refs?|citations?|footnotes?)\b ?(?:\d+)? ?[:–—-]|"
    r"(?:for (?:more|further|additional|full|the full) (?:information|details|help|info|reading)\b.{0,40}\b(?:see|visit|check|read|refer|go to|click|consult|have a look)|"
    r"(?:please )?(?:see|visit|refer to|consult|check(?: out)?|read|click)\b.{0,80}\b(?:https?:|for (?:more|further|details|additional|full)|here\b|(?:this|the|our|following) (?:link|article|page|guide|faq|help))|"
    r"(?:ticket|case|reference|request|inquiry|conversation|chat) ?(?:no\.?|number|id)? ?(?::? ?#|:) ?[\w-]{0,20}\d[\w-]{0,20}[.]?$|"
    r"(?:©|\(c\)|copyright) ?(?:©|\(c\))? ?\d{4}\b.{0,60}$|"
    r"(?:(?:unsubscribe|privacy(?: policy)?|terms(?: of (?:service|use)| and conditions)?|imprint|contact(?: us)?|help(?: cent(?:re|er))?|cookies?(?: policy)?|legal(?: notice)?|"
    r"manage preferences|view in (?:your )?browser) ?[|·•-]? ?){2,}$|"
    rf"(?:this|that)(?: information| answer| info)? (?:can be|is|was) (?:also )?(?:found|stated|mentioned|described|listed|explained|outlined|detailed|documented|given|specified|covered) "
    rf"(?:in|on|under|by) (?:(?:the|our|your) )?(?:[\w'-]+ ){{0,4}}(?:{MATTER}|section|page|chapter)(?: [\d.]{{1,6}})?(?: (?:of|in) (?:the|our|your) (?:[\w'-]+ ){{0,4}}{MATTER})?[.! ]*$|"
    r"you (?:can|will|may)(?: also)? find (?:this|that|the|these|all (?:the|this|these)) (?:information|details?|answer|info)\b.{0,80}$|"
    r"(?:searched|read|reviewed|analy[sz]ed|used|found|retrieved) \d{1,4} (?:sources?|documents?|files?|results?|(?:web ?)?(?:sites?|pages?)|articles?|passages?|chunks?)[.… ]*$|searched (?:the web|the knowledge base|the docs|for .{1,60})$|"
    r"(?:thought|reasoned|worked)(?: about .{1,60})? for (?:a few|a couple of|\d{1,3}|a) ?(?:s|m|secs?|seconds?|minutes?)\b.{0,10}$|"
    r"\W{0,2}(?:see|subject to) (?:the |our )?(?:general )?(?:terms|conditions|t&c)|"
    rf"(?:you can |you'll |you will )?(?:find|read|learn) (?:more|out more)\b|(?:read|learn|see) more\b|more (?:information|details|info) (?:is|are|can be)\b|"
    rf"(?:this|the above|that|the) (?:information|answer|info) (?:is|was|comes|came|has been) (?:taken |based |drawn )?(?:from|on)\b.{{0,30}}{MATTER}|"
    rf"(?:based on|according to|as per|from|taken from|see|cf\.) (?:the |our |your |my |this )?(?:[\w'-]+ ){{0,6}}{MATTER}[ .!]*$|https?://\S+$)"
)
ANNOUNCEMENT = re.compile(
    r"(?!.*\b(?:is|are|was|were|has|have|may|can|must|will|includes?|needs?|costs?|bring|means?)\b)[^.!?]{1,120}:$"
)

YES_OR_NO = re.compile(
    r"(?:oh,? |well,? )?(?:yes|yeah|yep|yup|no|nope|nah)\b(?:[,.!]* (?:sir|indeed|of course|unfortunately|sorry|not|definitely|absolutely|always))*"
    r"(?:[,.!]* (?:it|they|you|there|we|i|he|she|that|this|those|these) (?:do|does|did|has|have|had|is|are|am|was|were|will|can|could|would|should|must|may)"
    r"(?: ?n[o']?t)?(?: indeed| too| so)?)?[.! ]*$"
)
"""A bare yes or no, which claims what the user asked."""
PRAISED = re.compile(
    r"(?:that's |that is |what )?(?:an? )?(?:really |very )?\w+ (?:question|point|one)\b|thanks|thank you|sure\b|of course|no worries|don't worry|no problem|hi|hello|sorry|i'm sorry"
)
"""Words after which a name alone is an address: "Great question, Maria!"."""
HEADING = re.compile(
    r"(?:(?:the|our|your|quick|short|final|full|detailed|brief|direct|key|main|more|important|additional|general|some) )*"
    r"(?:answer|summary|overview|details|explanation|response|reply|results?|points|facts|takeaways?|findings|background|conclusion|"
    r"recap|highlights|notes?|question|tl;dr|context|information)(?: in (?:short|brief)| summary)?[: ]*$"
)
"""A line that is no more than the name of what follows it."""
SAID_BELOW = re.compile(
    r"(?:(?:sure|ok|okay|great|of course|certainly)[,.!] )?(?:here(?:'s| is| are)|below (?:is|are)|this is|that's) (?:what|something|some|the|an?|your|my|our|all)\b"
    r"[^:]{0,60}\b(?:found|know|have|see|summary|answer|information|info|says?|details|overview|response|explanation|breakdown)\b[^:,;]{0,40}[.!]$"
)
WORDS_OF_SAID_BELOW = 14
RESTATED = re.compile(
    r"(?:(?:so|ok|okay|i understand|i see|it sounds like|it seems),? (?:that )?)?(?:you(?:'re| are|'ve been| have been|'d like| would like|'ve)? ?(?:asked|asking|wanted|want|wondering|wondered|looking)? ?"
    r"(?:about|whether|if|to know|for information|for details|how|what|when|where|why|who)|your question (?:was|is|concerns)|you asked\b)(?!.*(?:;|,? but |, (?:and|so|the|it|you|we)\b| and (?:the|it)\b))[^:]*$"
)
"""A sentence that says the user's question again."""
CHOICE = re.compile(r"\W*(?:yes|y) ?[/|] ?(?:no|n)\W*$")
"""The answers that a bot offers to its question."""
UNPUNCTUATED_QUESTION = re.compile(
    r"(?:(?:so|and|but),? )?(?:(?:do|did|have|are|were|would|could|can) you\b|"
    r"(?:what|how|who|where|why|when|which)\b.{0,30}\b(?:do|did|are|have|would|is|about) your?\b)[^.!]*$"
)
FACT = re.compile(r"\d{2}|[€$£¥%]|@\w")
"""Signs that a polite sentence states something after all, such as a price or an address."""
