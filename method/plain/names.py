"""Given names, by which people that a reply is said to, or said by, are told from what it is about."""

_GIVEN = """
aaron abdul adam adrian ahmed aisha alan albert alejandro alex alexander alexandra alice alina amanda amelia amir amy ana anastasia
andrea andreas andrew angela anil anita anja anna anne annika anthony antonio arjun arthur ashley astrid barbara beatrice ben benjamin
bernd bethany bianca birgit brandon brian bruno camila carla carlos carmen carol caroline carolyn catherine cecilia charlotte chloe
christian christina christine christoph christopher claire clara claudia cynthia daniel daniela david deborah deepak dennis diana
diego dimitri dmitri dominik donna dorothy edward elena eleanor elias elisa elizabeth ella ellen emily emma eric erik esther ethan eva
evelyn fatima felix fernando florian frances francesca francisco frank franziska gabriel gabriele george gerald gloria greta hannah
hans harald harry hassan heather heidi heinrich helen helena helga henrik henry hiroshi hugo ibrahim ines ingrid irene isabel isabella
ivan jack jacob jakob james jan jana janet janine jasmin jason javier jean jeffrey jennifer jens jeremy jessica joan joanna johan
johanna johannes john jonas jonathan jorge jose joseph joshua joyce juan judith julia julian juliana julie karen karin karl kate
katharina katherine kathleen katja katrin keith kelly kenji kenneth kerstin kevin khalid kim klaus kristin kumar lara larry laura
lauren lea lena leo leon leonie lily linda lisa louis louise luca lucas lucia luis luisa lukas magdalena manuel marco marcus margaret
maria marie marina mario mark markus marta martha martin martina mary matteo matthew matthias max megan melanie melissa mia michael
michaela michelle miguel mike mohamed mohammed monica monika nadia nancy natalia natalie nathan nicholas nicole nikita nina noah nora
oliver olivia oscar oskar pablo pamela patricia patrick paul paula pedro peter petra philip philipp priya rachel rahul rainer raj
rajesh ralf ramona raymond rebecca ricardo richard robert roberto roger roland ronald rosa ruth ryan sabine sabrina salma samantha
samir samuel sandra sanjay sara sarah sebastian sergio shannon sharon silke silvia simon simone sofia sophia sophie stefan stefanie
stephanie stephen steven sunita susan susanne svenja sven tamara tanja tara teresa theresa thomas thorsten tim timothy tina tobias tom
tomas ursula ute valentina valeria vanessa vera veronica veronika victor victoria vikram vincent vladimir walter wei wendy werner
william wolfgang yasmin yusuf yuki yvonne zoe
"""
GIVEN_NAME = rf"(?:{'|'.join(_GIVEN.split())})"
"""A pattern of them in lower case; without names that are words, towns or months, such as "Will"."""
