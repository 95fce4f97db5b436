"""Lead-ins of claims, attributions behind them, and the people that they are said to.

Patterns read a sentence in lower case with straight apostrophes and single spaces, from its beginning.
"""

import re

from qsquared.method.plain.lexicon import AI, MATTER
from qsquared.method.plain.names import GIVEN_NAME

# A hyphen within a word, as in "first-class", ends no lead-in.
_STOP = r"(?: ?[,!:.…—–]+ ?| ?-{1,2} )"
_COMMA = r"(?: ?[,:—–]+ ?| ?-{1,2} )"
_AS_STATED = r"as (?:stated|described|explained|mentioned|noted|outlined|shown|given|written|listed|specified|set out)"
_SAYS = (
    r"(?:says?|states?|explains?|mentions?|notes|confirms?|tells us|tells me|indicates?|shows?|suggests?|specif(?:ies|y))"
    r"(?: that\b|:|,) ?"
)
_GOT = r"(?: (?:you|i|we)(?: have|'ve)? (?:shared|provided|uploaded|sent|gave|attached|found|linked|have|can see))?"
_FILE = r"[\w'.-]{1,60}\.(?:pdf|docx?|html?|md|txt|csv|xlsx?|pptx?|json|com|org|net|edu|gov|info|example|co\.uk|de|eu|io)"
_PLACE = r"(?: ?\([^()]{0,80}\))?"
_TITLED = r"(?:mr|mrs|ms|mx|miss|dr|prof)\.? [\w'-]+"
_VERB = (
    r"(?:is|are|was|were|be|has|have|had|can|could|will|would|must|may|should|do|does|did|opens?|closes?|costs?|takes?|starts?|"
    r"begins?|ends?|includes?|applies|requires?|needs?|works?|runs?|lasts?|arrives?|departs?|leaves?|allows?|offers?|provides?|"
    r"contains?|means?|gets?|pays?|comes?|goes|accepts?|covers?|expires?|(?:is|are|can)n't|cannot|won't|don't|doesn't)"
)
_ADDRESS = (
    rf"(?:{_TITLED}|{GIVEN_NAME}), (?=(?:you|you're|you'll|you've|your|we|we're|our|it|it's|there|there's|this|i|i'm|if|please|"
    rf"unfortunately|yes|no|here's|thanks?|sorry)\b|(?:the|a|an|all|that|these|those) (?![^,]*\b(?:who|which|whose)\b)[^,]*\b{_VERB}\b[^,]*$)"
)
"""The name of a person before a whole clause: "Maria, the queen of Spain, …" names whom it is about."""
LEAD_INS = re.compile(
    r"(?:"
    r"(?:yes|yeah|yep|no(?!\. ?\d)|nope|sure|sure thing|certainly|of course|absolutely|definitely|right|okay|ok|alright|all right|well|so|great|indeed|oh no|oh|ah|hmm|um|uh|"
    r"(?:that's a |what a )?(?:really |very )?(?:great|good|excellent|interesting|fantastic|wonderful) question|good news|no problem|no worries|don't worry|not to worry|understood|got it|thanks|thank you(?: for [^,.!?:]{1,60})?|"
    rf"thanks for [^,.!?:]{{1,60}}|sorry|(?:i'm|i am) (?:so |very )?sorry|apologies|my apologies|hi there|hello there|(?:hi|hello|hey|dear) {_TITLED}|(?:hi|hello|hey|dear)(?: \w+){{0,2}}|"
    r"(?:hola|hallo|bonjour|ciao|guten tag|olá|buenos días)(?: \w+){0,2}|"
    rf"good (?:morning|afternoon|evening|day)(?: {_TITLED}|(?: \w+){{0,2}})|welcome|i see|i agree|you(?:'re| are) (?:absolutely |totally |quite |completely )?right|that's right|correct|exactly|true|wow|please note|note|fyi|in short|in summary|"
    r"to summari[sz]e|to sum up|in brief|briefly|in a nutshell|long story short|put simply|simply put|in essence|essentially|in other words|to be (?:clear|precise|exact)|to (?:directly |briefly |quickly )?answer your question(?: (?:directly|briefly|quickly|first))?|"
    r"(?:the |our |my |your )?(?:short |quick |brief |final |direct |simple |full )?(?:answer|response|reply)(?: in (?:brief|short|a nutshell|one sentence))?|summary|tl;dr|"
    r"just so you know|for your information|as you may know|as you know|as (?:mentioned|discussed|promised|requested|agreed|noted|stated|explained)(?: (?:above|before|earlier|previously))?|as i (?:said|mentioned)(?: (?:before|earlier))?|great news|"
    r"following up on [^,.!?:]{1,60}|while you(?:'re| are)? wait(?:ing)?|in the meantime|(?:as )?per your (?:request|question|inquiry|enquiry|message)|as of my (?:last|latest|most recent) (?:update|training|knowledge)[^,.!?:]{0,30}|(?:p\.s\.?|ps)|"
    r"(?:from|based on) what (?:i|we) (?:can |could |have |'ve )?(?:found|find|see|seen|read|know|understand|gathered|gather)(?: (?:in|on|from) (?:the|our|your) (?:[\w'-]+ ){0,3}[\w'-]+)?|"
    r"as far as (?:i|we) (?:can (?:see|tell)|know)|to (?:the best of )?(?:my|our) knowledge|"
    r"unfortunately|fortunately|luckily|happily|actually|basically|also|additionally|furthermore|moreover|in addition|finally|first|firstly|second|secondly|lastly|importantly)"
    rf"{_STOP}"
    rf"|(?:according to|based on|{_AS_STATED} (?:in|on|by)|as per|per|going by|judging by) "
    rf"(?:(?:the|our|your|my|this|that|these|their|its|all|some|[\w.&-]{{1,30}}'s) |(?=wikipedia|available|provided|information|documents?|sources))(?:[\w'’./&-]+ ){{0,7}}{MATTER}(?: and conditions| of (?:service|use|business))?(?: (?:i (?:have|found|can see)|we have|you(?: have|'ve)? (?:provided|shared|gave|given|uploaded|sent|attached|linked)(?: me| us)?|provided|available|at hand|above|here|on [\w ]{{1,40}}|about [\w ]{{1,40}}|of [\w ]{{1,40}}))?"
    rf"(?: ?[\"'“‘][^\"'”’]{{1,80}}[\"'”’])?{_PLACE}{_COMMA}"
    rf"|(?:according to|based on|{_AS_STATED} (?:in|on|by)|as per|per) (?:the |our |your )?(?:[\w'-]+ ){{0,5}}{_FILE}{_PLACE}{_COMMA}"
    rf"|(?:the|our|this|my|your) (?:[\w'’-]+ ){{0,4}}{MATTER}(?:{_GOT}| provided| available| given| above| at hand| here) {_SAYS}"
    rf"|as an? (?:\w+ ){{0,2}}{AI}(?: (?:model|assistant|chatbot|system))?,? i can (?:tell you|say|confirm|inform you|share)(?: that)? "
    # Of "According to [1]," no number is left.
    r"|(?:according to|based on|as per|per|as (?:stated|mentioned|noted|described) in) ?, ?"
    rf"|(?:according to|based on|{_AS_STATED} (?:in|on|by)|as per|per) (?:the )?"
    rf"(?:{MATTER}|section|chapter|paragraph|part|step|item|clause) ?(?:no\.? ?|number |#)?\d[\d.]{{0,6}}(?: (?:of|in) (?:the|our|your|this) (?:[\w'’-]+ ){{0,4}}{MATTER})?,? "
    rf"|from (?:(?:the|our|your|my) (?:[\w'’./&-]+ ){{0,4}}{MATTER}|wikipedia|{_FILE}) ?: ?"
    r"|in (?:response|reply|answer) to (?:your|the|this) (?:question|query|request|inquiry|enquiry|message|e-?mail)(?: [^,:.!?]{1,60})?[,:] "
    r"|(?:regarding|concerning|with regard to|as for|as to|about) your (?:question|query|request|inquiry|enquiry|message|e-?mail)(?: [^,:.!?]{1,60})?[,:] "
    r"|step \d{1,2} ?[:.)–—-] ?"
    rf"|(?:the )?(?:{MATTER}) \[?#?\d{{1,3}}\]? {_SAYS}"
    r"|@[\w.-]{2,30}[,:]? "
    r"|(?:a|q & a|final answer|response|reply|assistant|ai|ai assistant|bot|\w{2,20}bot|agent|support|key (?:point|takeaway|fact|finding)|takeaway|output|conclusion|in conclusion|bottom line|the bottom line|"
    r"quick (?:tip|fact)|tip|info|important|details|explanation|good to know) ?: ?"
    r"|(?:here is|here's|here are|below is|below are) (?:what|the|a|an|your|some) [^:.!?]{0,80}: ?|(?:this|that) is what [^:.!?]{0,80}: ?|here you (?:go|are) ?[:!,.—–-]+ ?"
    r"|(?:i|we)(?:'ve| have)?(?: just| now)? (?:found|checked|looked|searched|asked)\b(?! that\b)[^:.!?]{0,80}(?:: ?|, and | and (?:found|see|learned) (?:that )?)"
    r"|(?:i|we) (?:can|could|am happy to|am glad to) (?:confirm|tell you|say|see|report)(?: that)? "
    r"|(?:please note|note|please be aware|be aware|remember|keep in mind|i see|i found|it (?:says|states|looks like|seems|appears)(?: here)?|you should know|i (?:read|heard|learned|learnt|know)|the good news is) that "
    r"|(?:please )?note,? (?:however|also),? that "
    # Whoever writes says that something follows.
    r"|(?:i|we)(?:'d| would|'re| are|'m| am)? (?:just |also |only )?(?:want(?:ed)? to|like to|pleased to|happy to|glad to|delighted to|sorry to|writing to|regret to) "
    r"(?:(?:let you know|inform you|tell you|advise you|remind you)(?: that\b|:|,)? ?|(?:confirm|share|say|note|mention|point out)(?: that\b|:) ?)"
    r"|(?:please |kindly |do )+(?:note|be (?:advised|informed|aware|reminded)|remember|keep in mind) that "
    r"|(?:(?:a|the|my|our|your|here's|another|one|quick|short|long|fun|interesting|brief|full|simple|key|main|bonus|little) ){1,4}"
    r"(?:version|facts?|thing|takeaway|point|reply|answer|explanation|clarification|update|reminder|recap|info|information|tip|note|hint) ?: ?"
    r"|(?:allow me|let me|i'd like) (?:to )?(?:just |quickly )?(?:clarify|explain|summari[sz]e|answer|help|put it|break (?:it|this|that) down)[^:.!?]{0,40}: ?"
    rf"|(?:i'm|i am|while i'm|while i am|although i'm|although i am|as an?) (?:just |only )?(?:an? )?(?:\w+ ){{0,2}}(?:{AI}|bot|assistant)(?: (?:model|assistant|chatbot|system))?,? "
    r"(?:(?:and |so )?i (?:don't|do not|can't|cannot) [^,.;!?]{1,60},? )?but "
    r"|(?:while|although|though) i (?:(?:don't|do not) (?:know|have (?:access|personal|specific|real-?time|live|exact|direct|any|the exact|the latest|up-to-date)\b)|(?:can't|cannot|couldn't) (?:browse|access|verify|confirm|provide|give|see|find)\b)[^,.;!?]{0,60}, "
    rf"|(?:it is|it's) (?:stated|mentioned|noted|written|described|explained|said|specified) (?:in|on) (?:the|our|your|this) (?:[\w'-]+ ){{0,4}}{MATTER} that "
    rf"|(?:in|from) the (?:provided|given|retrieved|above|attached|uploaded) (?:[\w'-]+ ){{0,2}}{MATTER}, (?:it is (?:stated|mentioned|noted|written|said) that )?"
    rf"|in (?:the|our|your|this) (?:[\w'-]+ ){{0,4}}{MATTER},? it (?:{_SAYS}|(?:is|'s) (?:stated|mentioned|noted|written|said|explained)(?: that\b|:|,)? ?)"
    r"|did you know(?: that)? "
    r"|(?:i'm not (?:really |entirely |quite |very )?sure|i am not sure|i don't (?:really )?know(?: much| a lot)?|i do not know(?: much)?|i don't know if you (?:already )?(?:knew|know)|not sure)[^.!?,;:]{0,40},? but "
    r"|(?:the )?(?:short |quick )?(?:answer|summary|result|reply)(?: to your question)?(?: is)?: ?"
    rf"|{_ADDRESS}"
    r")"
)
_DOCUMENT = (
    r"(?:article|document|documentation|docs?|information|info|page|polic(?:y|ies)|source|context|passage|web ?site|guide|guideline|"
    r"manual|faq|handbook|help cent(?:re|er)|knowledge base|terms|notes|file|text)s?"
)
TAIL = re.compile(
    rf",? ?(?:(?:according to|as (?:stated|described|explained|mentioned|noted|outlined|given|written|listed|specified) (?:in|on|by)|as per|per|based on) "
    rf"(?:the|our|your|my|this|that) (?:[\w'’./&-]+ ){{0,6}}{_DOCUMENT}|hope (?:this|that) helps) ?[.!]*$"
)
