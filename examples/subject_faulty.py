#!/usr/bin/env python3
"""The learner of subject.py with one fault, to see what deferlab says about it.

    deferlab verify --subject "python3 examples/subject_faulty.py"
"""

from subject import Learner, serve


class NoImportanceWeight(Learner):
    def importance_weighted(self, reward, probability):
        return reward  # forgets to divide by the probability


if __name__ == "__main__":
    serve(NoImportanceWeight)
