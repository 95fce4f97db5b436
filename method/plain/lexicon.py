"""The words by which sentences of replies are told apart, and the lead-ins of claims.

Patterns read a sentence in lower case with straight apostrophes and single spaces, from its beginning.
"""

import re

_I_AM = r"(?:i'm|i am|we're|we are)"
_MATTER = (
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
THANKS = re.compile(
    r"(?:(?:(?:oh|ok|okay|great|ha|haha|wow|aww?|yes|no|sure|cool|awesome|nice|perfect)[,!]? )?(?:many thanks|thanks|thank you|thx|cheers for|(?:i|we) (?:really |do |truly )?appreciate (?:your|you|it|that|the)|much appreciated)\b|"
    r"(?:you're|you are) (?:very |most )?welcome|my pleasure|(?:that|it)(?:'s| is) (?:so |very |really )?kind of you|how (?:kind|sweet|nice) of you|no problem|no worries|any ?time[.!]|glad (?:i|we|to)\b|"
    r"(?:i'm|i am|we're|we are) (?:so |very )?glad (?:i|we|that i|to) (?:could|was able|were able|help))"
)
SIGN_OFF = re.compile(
    r"(?:(?:best|kind|warm|warmest|kindest|with (?:best|kind|warm)) (?:regards|wishes|greetings)\b|"
    r"(?:yours )?(?:sincerely|faithfully|truly)\b|"
    r"(?:regards|yours|best|cheers|all the best|warmly|take care|bye|bye bye|goodbye|good ?bye|see you(?: \w+)?|farewell|"
    r"talk (?:to you )?(?:soon|later)|until (?:next time|then)|good luck|enjoy)(?:[,!.…]+ ?[\w .'&-]{0,40}| for now| then)?[,!. ]*$|"
    r"(?:have|enjoy|wishing you|i wish you)(?: yourself)? (?:a |an |your |the )?(?:\w+ )?(?:\w+ )?(?:day|evening|night|weekend|week|trip|"
    r"flight|stay|time|one|visit|rest|reading|holiday)s?\b|(?:i |we )?(?:really |do )?hope (?:you(?:'re| are)(?: \w+)? (?:having|doing|well|enjoying)\b|you(?:'ve| have) had\b|all is well|everything is|(?:this|my) (?:message|e-?mail|letter|note) finds you)|(?:i |we )?hope (?:this|that|it)(?: \w+)? (?:helps|is helpful|was helpful|answers|clears)|"
    r"hope i (?:could|was able)|happy \w+ing[!.]|safe travels|it (?:was|has been) (?:nice|great|good|a pleasure) (?:talking|chatting|speaking|to (?:talk|chat|speak))|"
    r"(?:it was )?(?:nice|great|good) (?:talking|chatting|speaking)|sent from my)"
)
SIGN_OFF_WORDS = 14
CLOSING_LINE = re.compile(
    r"(?:(?:best|kind|warm|warmest|kindest|with (?:best|kind|warm))? ?(?:regards|wishes)|(?:yours )?(?:sincerely|faithfully|truly)|yours|"
    r"best|cheers|all the best|warmly|many thanks|thanks|thank you)[,.! ]*$"
)
"""A line after which the writer signs."""
SIGNATURE = re.compile(
    r"[—–-]{1,2} ?\w|(?:your|the) (?:[\w&'-]+ ){0,4}(?:team|support|assistant|bot)\b[.! ]*$"
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
    r"(?:(?:please )?(?:just |simply )?(?:let me know|let us know)\b|(?:please )?(?:do |always )?feel free\b|please (?:do not|don't) hesitate|"
    r"(?:do not|don't) hesitate|(?:is there |do you need |do you want |can i help with |may i help with |need )?anything else\b|"
    r"(?:(?:but|and|so) )?if (?:you|there)(?:'re|'d| are| have| need| want| would| is| should|'ve)?\b.{0,80}\b(?:question|questions|help|assistance|anything else|let (?:me|us) know|"
    r"just ask|ask me|reach out|feel free|happy to|glad to|hesitate)|"
    r"(?:would you like|do you want|shall i|should i|can i|may i|could i|want)(?: me)?(?: to)? (?:\w+ ){0,3}?(?:help|assist|check|look|look up|explain|tell|show|send|know more|find|provide|hear|"
    r"book|connect|forward|go through|walk)\b.*\?|"
    r"how (?:can|may|could) (?:i|we) (?:help|assist|be of)|what can (?:i|we) (?:do|help)|"
    rf"(?:{_I_AM}|i'll be|i'd be|we'd be|i would be|we would be|always|(?:more than )?happy|glad) ?(?:always |also |more than |very |just )?(?:here|happy|glad|available)?(?: if you| to (?:help|assist|answer|check|look|explain|tell|provide|clarify|find))\b|"
    r"(?:i|we) can (?:also |certainly |gladly )?(?:help|assist) (?:you|with)|(?:you can |you may )?(?:always )?(?:reach out|get in touch|contact (?:me|us)) (?:if|any ?time|with any|for (?:any|further|more))|"
    r"(?:you (?:might|may|can|could) also (?:ask|want to know|be interested in)|people also ask|suggested questions?)\b[^.!?]{0,60}:?$|"
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
    rf"(?:(?:i|we) (?:really |honestly |actually |also |currently |personally |just )?(?:don't|do not|can't|cannot|can not|couldn't|could not|am unable to|are unable to|was unable to|were unable to|"
    rf"am not able to|was not able to|haven't|have not|wasn't able to|won't be able to) (?:really |honestly |actually |even |currently |personally |yet |exactly )?{_NOTHING_KNOWN}|"
    r"(?:i |we )?(?:honestly |really )?(?:can't|cannot|couldn't|could not) (?:really |honestly )?(?:say|tell|find|think of any)\b|"
    rf"(?:i|we) (?:currently |unfortunately |really )?have (?:no|not any) (?:\w+ )?{_KNOWN}|(?:i|we)(?:'ve| have)? (?:not|haven't|never) (?:found|heard (?:of|about)|been given|been able)|(?:i|we) haven't (?:found|heard (?:of|about)|been able)|"
    r"(?:i'm|i am|we're|we are) (?:just |really |honestly |also )?(?:not (?:really |entirely |quite |very |too |exactly |100% )?(?:sure(?! (?:i|that)\b)|certain|aware|familiar|able|allowed)|unable|unaware|unsure|uncertain|no expert|not an expert)|"
    r"(?:i'm not|i am not)$|"
    r"not sure\b|no idea|don't know|do not know|i wish i knew|"
    r"(?:there is|there's|there are|i see|i find|i found) (?:currently |unfortunately )?(?:no|not any|nothing) (?:\w+ )?(?:information|info|details?|mention|data|answer|article|document|source|entry|record|about|on)\b|"
    rf"(?:the|this|these|my|our|your) (?:\w+ ){{0,3}}{_MATTER}(?: (?:i have|provided|given|available|at hand|above|you provided|here))? (?:do|does|did)(?:n't| not) (?:\w+ )?(?:say|state|mention|contain|include|provide|specify|cover|answer|give|tell|indicate|address|list|have)|"
    rf"(?:the|this|these|my|our|your) (?:\w+ ){{0,3}}{_MATTER}(?: (?:i have|provided|given|available|at hand|above|here))? (?:says?|states?|contains?|mentions?|has|have|includes?|provides?|gives?|tells?(?: me| us)?|offers?) (?:\w+ )?(?:nothing|no (?:\w+ )?{_KNOWN}|no (?:mention|word))\b|"
    rf"(?:this|that|it|the \w+)(?:'s| is|) (?:not|isn't|n't) (?:stated|mentioned|specified|covered|included|something i (?:can|know)|in (?:the|my|our) {_MATTER})|"
    r"that(?:'s| is) (?:outside|beyond|not something)|as an ai\b(?!.{0,60}\bi can (?:tell|say|confirm|inform|share)\b)|no (?:\w+ )?(?:information|info|details?|answer|data) (?:\w+ )?(?:is|was|are|were|could be) (?:\w+ )?(?:available|found|given|provided)|"
    r"(?:that|this|it)(?: information)? (?:is|was) not (?:available|provided|given|found))"
)
TURN = re.compile(
    r"\bbut (?!(?:i|we)(?:'ll|'m|'d| am| can| could| will| would| suggest| recommend)\b|please|let\b|"
    r"you (?:can|could|may|might)|feel)\w+ \w+ \w+|\bbut i (?:do )?know\b|\bhowever,|, i (?:just|only|do) know\b"
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
    r"i see|i agree|i concur|me too|same here|same|likewise|me neither|understood|got it|noted|gotcha|agreed|"
    rf"(?:what a |that's a |that is a )?(?:{_ADJECTIVE}) (?:question|point|one|choice|idea)|"
    rf"(?:that|it|this)(?:'s| is| was| sounds?| would be| must be| must have been| seems| does ?n[o']?t sound)? (?:so |very |really |pretty |quite |super |just |too |a bit |absolutely )*{_ADJECTIVE}(?: to (?:hear|know))?|"
    r"(?:that|it|this) (?:makes sense|sure is|really is)|makes sense|"
    r"(?:good|great|nice|glad|happy|sorry) to (?:hear|know)(?: that)?|glad you (?:like|liked|enjoy|enjoyed|think so)(?: it| that)?|"
    r"you(?:'re| are) right|no way|oh no|oh my|my goodness|please|maybe|perhaps|probably|"
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
    r"(?:check|look (?:that|this|it|into|up)|see\b|find (?:that|this|it|out)|help you|explain|walk you|clarify|summari[sz]e|break (?:it|this|that) down|answer (?:that|this|your)|pull up|take a look|get (?:that|this|the))"
    r"|(?:just )?(?:a|one) (?:moment|second|sec|minute)\b|(?:please )?(?:hold on|hang on|bear with me|wait a (?:moment|second))\b"
)
"""Sentences of a bot that looks something up."""
WORDS_OF_LOOK_UP = 14
_AI = r"(?:ai|a\.i\.|artificial intelligence|(?:large )?language model|virtual assistant|virtual agent|chat ?bot|automated (?:assistant|system|agent))"
DISCLAIMER = re.compile(
    r"(?:(?:please )?(?:note|be aware|remember|keep in mind)(?: that|:)? |(?:disclaimer|note|important|caution|warning)\W{1,3})*"
    rf"(?:(?:i am|i'm|i, as) (?:just |only )?(?:an? )?(?:\w+ ){{0,2}}{_AI}\b|"
    rf"(?:this|the above|the) (?:answer|response|message|reply|information|content|text|summary|conversation)s?(?: \w+){{0,3}} (?:(?:generated|created|produced|written|provided|powered) "
    rf"(?:\w+ )?(?:automatically\b|(?:by|with|using)(?: an?| our)? (?:\w+ )?(?:{_AI}|machine|bot)\b)|(?:automatically|ai|machine)[- ](?:generated|created|produced|written))|"
    r"(?:this|the above|the) (?:answer|response|message|reply|information|content|text|summary)s?(?: (?:may|might|can|could))(?: \w+){0,3} (?:incorrect|inaccurate|incomplete|wrong|outdated|out of date|errors?|mistakes?|inaccuracies)\b|"
    r"(?:this|the|these) (?:information|content|answer|material|overview)s? (?:is|are) (?:\w+ ){0,2}for (?:general |educational |your )?(?:information|informational|guidance|purposes)\b|"
    r"(?:this|your) (?:conversation|chat|call)s? (?:may|might|can|will|is|are) (?:be )?(?:recorded|monitored|logged|stored)\b|"
    r"(?:this|the above|it)(?: \w+)? (?:is|does|should)(?: not|n't)(?: \w+){0,4} (?:legal|medical|financial|professional|investment|tax) advice|"
    rf"{_AI}(?:-generated)?(?: \w+){{0,2}} (?:can|may|might)(?: \w+){{0,2}} (?:mistakes|errors|wrong|incorrect|inaccurate)|ai-generated\b|generated by {_AI}\b|"
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
    r"(?:ticket|case|reference|request|inquiry) ?(?:no\.?|number|id)? ?# ?[\w-]{2,24}$|"
    r"\W{0,2}(?:see|subject to) (?:the |our )?(?:general )?(?:terms|conditions|t&c)|"
    rf"(?:you can |you'll |you will )?(?:find|read|learn) (?:more|out more)\b|(?:read|learn|see) more\b|more (?:information|details|info) (?:is|are|can be)\b|"
    rf"(?:this|the above|that|the) (?:information|answer|info) (?:is|was|comes|came|has been) (?:taken |based |drawn )?(?:from|on)\b.{{0,30}}{_MATTER}|"
    rf"(?:based on|according to|as per|from|taken from|see|cf\.) (?:the |our |your |my |this )?(?:[\w'-]+ ){{0,6}}{_MATTER}[ .!]*$|https?://\S+$)"
)
ANNOUNCEMENT = re.compile(
    r"(?!.*\b(?:is|are|was|were|has|have|may|can|must|will|includes?|needs?|costs?|bring|means?)\b)[^.!?]{1,120}:$"
)

LEAD_INS = re.compile(
    r"(?:"
    r"(?:yes|yeah|yep|no|nope|sure|sure thing|certainly|of course|absolutely|definitely|right|okay|ok|alright|all right|well|so|great|indeed|oh|ah|hmm|"
    r"(?:that's a |what a )?(?:great|good|excellent|interesting) question|good news|no problem|no worries|understood|got it|thanks|thank you(?: for [^,.!?:]{1,60})?|"
    r"thanks for [^,.!?:]{1,60}|sorry|(?:i'm|i am) (?:so |very )?sorry|apologies|my apologies|hi there|hello there|(?:hi|hello|hey|dear)(?: \w+){0,2}|"
    r"good (?:morning|afternoon|evening)(?: \w+)?|welcome|i see|i agree|you(?:'re| are) right|that's right|correct|exactly|true|wow|please note|note|fyi|in short|in summary|"
    r"to summari[sz]e|to sum up|in brief|briefly|to be (?:clear|precise|exact)|to answer your question|short answer|the short answer|answer|the answer|quick answer|summary|tl;dr|"
    r"just so you know|for your information|as you may know|as you know|as mentioned(?: (?:above|before|earlier))?|as i (?:said|mentioned)(?: (?:before|earlier))?|great news|"
    r"unfortunately|fortunately|luckily|happily|actually|basically|also|additionally|furthermore|moreover|in addition|finally|first|firstly|second|secondly|lastly|importantly)"
    r" ?[,!:.…—–-]+ ?"
    rf"|(?:according to|based on|as (?:stated|described|explained|mentioned|noted|outlined|shown|given|written|listed|specified|set out) (?:in|on|by)|as per|per|going by|judging by) "
    rf"(?:(?:the|our|your|my|this|that|these|their|its|all|some|[\w.&-]{{1,30}}'s) |(?=wikipedia|available|provided|information|documents?|sources))(?:[\w'’./&-]+ ){{0,7}}{_MATTER}(?: (?:i (?:have|found|can see)|we have|you (?:provided|shared|gave)|provided|available|at hand|above|here|on [\w ]{{1,40}}|about [\w ]{{1,40}}|of [\w ]{{1,40}}))?"
    rf"(?: ?[\"'“‘][^\"'”’]{{1,80}}[\"'”’])?(?: ?\([^()]{{0,80}}\))? ?[,:—–-]+ ?"
    rf"|(?:the|our|this|my|your) (?:[\w'’-]+ ){{0,4}}{_MATTER} (?:says|say|states|state|explains|mentions|notes|confirms|tells us|tells me|indicates|shows|show|suggests|specifies)(?: that\b|:|,) ?"
    rf"|as an? (?:\w+ ){{0,2}}{_AI}(?: (?:model|assistant|chatbot|system))?,? i can (?:tell you|say|confirm|inform you|share)(?: that)? "
    # Of "According to [1]," no number is left.
    r"|(?:according to|based on|as per|per|as (?:stated|mentioned|noted|described) in) ?, ?"
    rf"|(?:according to|based on|as (?:stated|described|explained|mentioned|noted|outlined|given|listed|specified) (?:in|on|by)|as per|per) (?:the )?"
    rf"(?:{_MATTER}|section|chapter|paragraph|part|step|item|clause) ?(?:no\.? ?|number |#)?\d[\d.]{{0,6}}(?: (?:of|in) (?:the|our|your|this) (?:[\w'’-]+ ){{0,4}}{_MATTER})?,? "
    rf"|from (?:the|our|your|my) (?:[\w'’./&-]+ ){{0,4}}{_MATTER} ?: ?"
    r"|in (?:response|reply|answer) to (?:your|the|this) (?:question|query|request|inquiry|enquiry|message|e-?mail)(?: [^,:.!?]{1,60})?[,:] "
    r"|(?:regarding|concerning|with regard to|as for|as to|about) your (?:question|query|request|inquiry|enquiry|message|e-?mail)(?: [^,:.!?]{1,60})?[,:] "
    r"|step \d{1,2} ?[:.)–—-] ?"
    rf"|(?:the )?(?:{_MATTER}) \[?#?\d{{1,3}}\]? (?:says|states|explains|mentions|notes|confirms|indicates|shows|specifies)(?: that\b|:|,) ?"
    r"|@[\w.-]{2,30}[,:]? "
    r"|(?:a|q & a|final answer|response|reply|assistant|ai|ai assistant|bot|\w{2,20}bot|agent|support|key (?:point|takeaway|fact|finding)|takeaway|output|conclusion|in conclusion|bottom line|the bottom line|"
    r"quick (?:tip|fact)|tip|info|important|details|explanation|good to know) ?: ?"
    r"|(?:here is|here's|here are|this is|that is|below is|below are) (?:what|the|a|an|your|some) [^:.!?]{0,80}: ?|here you (?:go|are) ?[:!,.—–-]+ ?"
    r"|(?:i|we)(?:'ve| have)? (?:found|checked|looked|searched)\b[^:.!?]{0,80}(?:: ?|, and | and (?:found|see|learned) (?:that )?)"
    r"|(?:i|we) (?:can|could|am happy to|am glad to) (?:confirm|tell you|say|see|report)(?: that)? "
    r"|(?:please note|note|please be aware|be aware|remember|keep in mind|i see|i found|it (?:says|states|looks like|seems|appears)(?: here)?|you should know|i (?:read|heard|learned|learnt|know)|the good news is) that "
    r"|did you know(?: that)? "
    r"|(?:i'm not (?:really |entirely |quite |very )?sure|i am not sure|i don't (?:really )?know(?: much| a lot)?|i do not know(?: much)?|i don't know if you (?:already )?(?:knew|know)|not sure)[^.!?,;:]{0,40},? but "
    r"|(?:the )?(?:short |quick )?(?:answer|summary|result|reply)(?: to your question)?(?: is)?: ?"
    r")"
)
TAIL = re.compile(
    rf",? ?(?:(?:according to|as (?:stated|described|explained|mentioned|noted|outlined|given|written|listed|specified) (?:in|on|by)|as per|per|based on) "
    rf"(?:the|our|your|my|this|that) (?:[\w'’./&-]+ ){{0,6}}{_MATTER}|hope (?:this|that) helps) ?[.!]*$"
)
UNPUNCTUATED_QUESTION = re.compile(
    r"(?:(?:so|and|but),? )?(?:(?:do|did|have|are|were|would|could|can) you\b|"
    r"(?:what|how|who|where|why|when|which)\b.{0,30}\b(?:do|did|are|have|would|is|about) your?\b)[^.!]*$"
)
FACT = re.compile(r"\d{2}|[€$£¥%]|@\w")
"""Signs that a polite sentence states something after all, such as a price or an address."""
