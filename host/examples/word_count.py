# Counts the words of a text: functions, a class, comprehensions, sorting and formatting.
from collections import Counter

TEXT = """
Here is the house. It is green and white. It has a red door. It is very pretty.
Here is the family. Mother, Father, Dick, and Jane live in the green and white house.
"""


class Report:
    def __init__(self, text):
        words = (word.strip(".,").lower() for word in text.split())
        self.counts = Counter(word for word in words if word)

    def __len__(self):
        return sum(self.counts.values())

    def top(self, how_many):
        return sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))[:how_many]


report = Report(TEXT)
print(f"{len(report)} words, {len(report.counts)} different")
for word, count in report.top(5):
    print(f"{word:>8} {count:3} {'#' * count}  {count / len(report):6.1%}")
