"""Further dresses: help desks, messengers, tools around models, and greetings in other languages."""

import html
import json
import random
from collections.abc import Callable

from lab.benchmarks.dresses.wording import before_stop, ended, lowered

MORE: dict[str, Callable[[str, random.Random], str]] = {
    "answer of a help desk's agent": lambda reply, _: (
        f"Hi Maria 👋\n\nThanks for getting in touch. {ended(reply)}\n\n"
        "If you'd like to know more, just reply here.\n\nFin AI Agent"
    ),
    "macro of a help desk": lambda reply, _: (
        "Hello Maria,\n\nThank you for contacting Petrel Support. My name is Tom and I'd be happy to "
        f"assist you today.\n\n{ended(reply)}\n\nPlease don't hesitate to reply to this ticket should "
        "you have further questions.\n\nWarm regards,\n\nTom | Petrel Support Team"
    ),
    "quick replies": lambda reply, _: f"{reply}\n\n▸ Talk to a human\n▸ Start over\n▸ That helped!",
    "numbered menu": lambda reply, _: (
        f"{ended(reply)}\n\nWhat would you like to do next?\n1️⃣ Speak to an agent\n2️⃣ Main menu\n3️⃣ End chat"
    ),
    "offer of an agent": lambda reply, _: (
        f"{ended(reply)} If you need more help, I can transfer you to one of our agents."
    ),
    "ticket that was opened": lambda reply, _: (
        f"{ended(reply)} I've also created a ticket for you so that our team can follow up."
    ),
    "survey with stars": lambda reply, _: (
        f"{reply}\n\n⭐️⭐️⭐️⭐️⭐️\nHow would you rate this conversation?"
    ),
    "link to a survey": lambda reply, _: (
        f"{ended(reply)}\n\nWe'd love to hear your feedback! Take our short survey: https://survey.example/x1"
    ),
    "newsletter": lambda reply, _: (
        f"{ended(reply)}\n\nDon't forget to subscribe to our newsletter for the latest news and offers."
    ),
    "end of a chat": lambda reply, _: (
        f"{ended(reply)} I'll close this chat now. Have a wonderful day ahead, Maria!"
    ),
    "sympathy": lambda reply, _: (
        f"Oh no, I'm so sorry to hear that! I completely understand your concern. {reply}"
    ),
    "as per the terms": lambda reply, _: f"As per our terms and conditions, {lowered(reply)}",
    "answer to the question": lambda reply, _: f"To answer your question directly: {reply}",
    "marks of Copilot": lambda reply, _: f"{reply} [^1^][2]",
    "marks of ChatGPT": lambda reply, _: before_stop(
        reply, " \ue200filecite\ue202turn0file1\ue201"
    ),
    "tags of citations": lambda reply, _: f'<cite index="0-1">{reply}</cite>',
    "footnote in a tag": lambda reply, _: before_stop(reply, " <ref>doc_14</ref>"),
    "folded sources": lambda reply, _: (
        f"{reply}\n\n<details><summary>Sources (2)</summary>\n\n- Visitor guide\n- Price list\n\n</details>"
    ),
    "evidence below": lambda reply, _: f"Answer: {reply}\nEvidence: Visitor guide, page 4",
    "row of figures": lambda reply, _: (
        f"{reply}\n\n---\n*Confidence: High · Sources: 2 · Response time: 1.3s*"
    ),
    "question and answer": lambda reply, _: f"**Q:** What do you know about this?\n**A:** {reply}",
    "channels of a model": lambda reply, _: (
        "<|channel|>analysis<|message|>User asks. Check guide.<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{reply}<|return|>"
    ),
    "thoughts in a tag": lambda reply, _: (
        f"<think>\nOkay, the user wants to know something. The guide covers it.\n</think>\n\n{reply}"
    ),
    "call of a tool in a tag": lambda reply, _: (
        f'<tool_call>{{"name": "search", "arguments": {{"query": "help"}}}}</tool_call>\n{reply}'
    ),
    "call of a tool in brackets": lambda reply, _: (
        f'[search_knowledge_base(query="help")]\n\n{reply}'
    ),
    "boxed answer": lambda reply, _: f"$\\boxed{{\\text{{{reply}}}}}$",
    "admonition": lambda reply, _: f":::tip\n{reply}\n:::",
    "Discord": lambda reply, _: f"<@!81384788765712384> {reply} <:thumbs:12345>",
    "adaptive card": lambda reply, _: json.dumps(
        {"type": "AdaptiveCard", "body": [{"type": "TextBlock", "text": reply, "wrap": True}]}
    ),
    "speech markup": lambda reply, _: f'<speak>{html.escape(reply)}<break time="500ms"/></speak>',
    "German greeting": lambda reply, _: (
        f"Guten Tag Frau Berg,\n\n{reply}\n\nMit freundlichen Grüßen\nIhr Petrel-Team"
    ),
    "Spanish greeting": lambda reply, _: f"¡Hola María! 👋 {ended(reply)} ¡Que tengas un buen día!",
    "French letter": lambda reply, _: f"Bonjour,\n\n{reply}\n\nCordialement,\nL'équipe Petrel",
    "day of the information": lambda reply, _: (
        f"{ended(reply)}\n\n_Information accurate as of 16 November 2026._"
    ),
    "buttons of a chat": lambda reply, _: f"{reply}\n\nCopy · Share · Regenerate",
    "answer of a shop": lambda reply, _: (
        "Hi Maria,\n\nThank you for reaching out to us, and I hope you're having a lovely day!\n\n"
        f"{ended(reply)}\n\nPlease let us know if you need anything else, we're always here for you. 💙"
        "\n\nAll the best,\nPetrel Customer Care"
    ),
    "suggestion while waiting": lambda reply, _: (
        f"While you wait, here's an answer from our help centre:\n\n{reply}\n\nDid that solve your problem?"
    ),
    "draft": lambda reply, _: f"[Draft] {reply}",
    "link to the article": lambda reply, _: (
        f"{ended(reply)} [Read the full article →](https://help.example/x)"
    ),
    "link after the answer": lambda reply, _: (
        f"{ended(reply)} Here's the link: https://help.example/x"
    ),
    "source in small print": lambda reply, _: (
        f'<p>{html.escape(reply)}</p><p><small>Source: <a href="https://help.example">Visitor guide</a></small></p>'
    ),
    "footnote in superscript": lambda reply, _: (
        f"{reply} <sup>[1]</sup>\n\n<sup>[1]</sup> Visitor guide, p. 3"
    ),
    "words of the guide": lambda reply, _: f"In the Visitor guide, it says: {reply}",
    "plan before the answer": lambda reply, _: (
        f"**Checking the guide**\n\nI'll look at the visitor guide first.\n\n---\n\n{reply}"
    ),
    "no doctor": lambda reply, _: (
        f"{ended(reply)} I'm not a doctor, so please consult a healthcare professional."
    ),
    "time above": lambda reply, _: f"16 Nov 2026, 10:32\n\n{reply}",
    "key points and next steps": lambda reply, _: (
        f"### Key takeaways\n- {reply}\n\n### Next steps\n- Let me know if you have questions."
    ),
    "letter in JSON": lambda reply, _: json.dumps(
        {"reply": f"Hi Maria,\n\n{reply}\n\nBest,\nPetrel Bot", "intent": "faq"}
    ),
    "mention in a tracker": lambda reply, _: f"[~maria.berg] {reply}",
    "first name below": lambda reply, _: (
        f"Hey Maria,\n\nGreat to hear from you!\n\n{reply}\n\nLet me know how it goes.\n\nTom"
    ),
    "place of the source": lambda reply, _: f"{reply}\n\nFound in: Visitor guide > Opening hours",
    "based on what was given": lambda reply, _: (
        f"Based on the context you've given me, {lowered(reply)}"
    ),
    "comfort": lambda reply, _: f"Don't worry, Maria! {reply}",
    "asked the team": lambda reply, _: f"I just checked with our team: {reply}",
    "time of reasoning": lambda reply, _: f"Reasoned about opening hours for 4 seconds\n\n{reply}",
    "feedback by number": lambda reply, _: f"{reply}\n\nFeedback? Reply 1 for 👍 or 2 for 👎",
    "survey after the chat": lambda reply, _: (
        f"{ended(reply)}\n\nYou'll receive a short survey once this chat ends. Thank you!"
    ),
    "colleague who will write": lambda reply, _: (
        f"{ended(reply)} A colleague will get back to you shortly."
    ),
    "bot says that it is one": lambda reply, _: (
        f"{ended(reply)}\n\nYou're chatting with an AI. Answers may not always be accurate."
    ),
    "warning about personal data": lambda reply, _: (
        f"{ended(reply)}\n\nPlease don't share personal data in this chat."
    ),
    "Swiss letter": lambda reply, _: (
        f"Grüezi Frau Berg\n\n{reply}\n\nFreundliche Grüsse\nPetrel Kundendienst"
    ),
    "name before": lambda reply, _: f"Maria, {lowered(reply)}",
    "name behind": lambda reply, _: before_stop(reply, ", Maria"),
    "automated reply": lambda reply, _: f"(This is an automated reply.) {reply}",
    "good news with a name": lambda reply, _: f"Good news, Maria \u2013 {lowered(reply)}",
    "offer with a condition": lambda reply, _: (
        f"{ended(reply)} If that doesn't solve it, I can connect you with a colleague."
    ),
    "opt out": lambda reply, _: f"{ended(reply)} Reply STOP to opt out.",
}
"""Dress by name."""
