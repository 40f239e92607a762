"""Makes tickets.csv, tickets.svm and answers.txt: the same 400 made-up support tickets twice.

A ticket is about billing, about something technical, or about something else. It mentions money and
machines so and so often, more of what it is about. Ann answers tickets on three days of five and
knows billing; Bob answers every second ticket and knows the technical ones; the bot is always there
and right in six of ten. Whoever is wrong names one of the two other classes.
"""

import random

CLASSES = ["billing", "technical", "other"]
draw = random.Random(7)


def answer(label, knows, right_there, right_elsewhere):
    right = right_there if label == knows else right_elsewhere
    if draw.random() < right:
        return label
    return draw.choice([c for c in range(3) if c != label])


tickets = []
for number in range(400):
    label = draw.randrange(3)
    money = max(0, round(draw.gauss(3 if label == 0 else 1, 1.2)))
    machines = max(0, round(draw.gauss(3 if label == 1 else 1, 1.2)))
    ann = answer(label, 0, 0.97, 0.5) if number % 5 < 3 else None
    bob = answer(label, 1, 0.97, 0.5) if draw.random() < 0.5 else None
    tickets.append((money, machines, label, ann, bob, answer(label, None, 0, 0.6)))

with open("tickets.csv", "w") as csv:
    csv.write("money,machines,topic,ann,bob,bot\n")
    for money, machines, label, *answers in tickets:
        names = ["" if a is None else CLASSES[a] for a in answers]
        csv.write(f"{money},{machines},{CLASSES[label]},{','.join(names)}\n")

with open("tickets.svm", "w") as svm, open("answers.txt", "w") as text:
    for money, machines, label, *answers in tickets:
        inputs = [f"{i}:{v}" for i, v in ((1, money), (2, machines)) if v]
        svm.write(" ".join([str(label), *inputs]) + "\n")
        text.write(" ".join("-1" if a is None else str(a) for a in answers) + "\n")
