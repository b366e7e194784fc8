"""What the exercises call to check an answer: a module an exercise, a function a question."""

from astra_edu.course.check import ex1, ex2, ex3, ex4, ex5, ex6, ex7, ex8, ex9, ex10, ex11, ex12, ex13, ex14
from astra_edu.course.check.verdict import Verdict, answered

__all__ = [
    "Verdict",
    "answered",
    "ex1",
    "ex2",
    "ex3",
    "ex4",
    "ex5",
    "ex6",
    "ex7",
    "ex8",
    "ex9",
    "ex10",
    "ex11",
    "ex12",
    "ex13",
    "ex14",
]
