"""Right and wrong answers of every exercise: a module each, which tests/course/check/test_every_exercise.py tries.

A module has

- QUESTIONS: for each question, by its function's name, what is right (an answer, or a list of them) and a list of
  wrong answers, each with what it must be told: words of the verdict, or a pattern;
- GUESSES: the names of the questions to which there is no wrong answer, only one that was made or wasn't;
- GIVEN (if need be): what a notebook passes besides the answer, by question.
"""
