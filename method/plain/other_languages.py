"""Greetings, thanks and closings in other languages, around replies in English.

Patterns read a sentence in lower case with single spaces, from its beginning.
"""

import re

GREETING = re.compile(
    r"¡?(?:guten (?:tag|morgen|abend)|hallo|moin|servus|grüezi|grüß gott|sehr geehrte[rs]?|liebe[rs]?|"
    r"bonjour|bonsoir|salut|chère?|hola|buen(?:os|as) (?:días|dias|tardes|noches)|estimad[oa]s?|querid[oa]s?|"
    r"ciao|buongiorno|buonasera|salve|gentile|olá|bom dia|boa (?:tarde|noite)|prezad[oa]s?|"
    r"goede(?:morgen|middag|navond|ndag)|beste|hej|god dag|dzień dobry|merhaba|namaste|konnichiwa)\b"
)
"""The words behind it have to be names, as behind an English greeting."""
THANKS = re.compile(
    r"¡?(?:(?:muchas |mil )?gracias|vielen dank|herzlichen dank|danke(?: schön| sehr)?|merci(?: beaucoup| bien)?|"
    r"grazie(?: mille)?|(?:muito )?obrigad[oa]|dank u(?: wel)?|bedankt|tack|tak)\b(?! is\b| was\b)"
)
WORDS_OF_THANKS = 8
CLOSING_LINE = re.compile(
    r"(?:mit (?:freundlichen|besten|herzlichen|lieben) grü(?:ß|ss)en|(?:viele|liebe|beste|schöne|herzliche|freundliche) grü(?:ß|ss)e|mfg|"
    r"(?:bien |très )?cordialement|bien à vous|(?:meilleures|sincères) salutations|"
    r"(?:un (?:cordial )?)?saludos?(?: cordiales)?|atentamente|(?:cordiali|distinti) saluti|"
    r"atenciosamente|abraços|cumprimentos|met vriendelijke groet(?:en)?|groetjes|"
    r"med venlig hilsen|vänliga hälsningar|pozdrawiam)[,.! ]*$"
)
"""A line after which the writer signs."""
WISHES = re.compile(
    r"¡?(?:que (?:tengas?|pases?|tenga usted) (?:un |una )?(?:\w+ )?(?:día|dia|tarde|noche)|(?:einen |noch einen )?schönen (?:tag|abend)(?: noch)?|"
    r"auf wiedersehen|tschüss|bonne (?:journée|soirée)|au revoir|buona (?:giornata|serata)|arrivederci|tenha um (?:bom|ótimo) dia|"
    r"fijne dag(?: nog)?|tot ziens|hasta (?:luego|pronto)|adiós)[,.! ]*$"
)
