"""The facts about the demo's company, which does not exist. All other scripts take them from here."""

from datetime import datetime

NAME = "Larchfield Cycles Ltd"
SHORT = "Larchfield Cycles"
CITY = "Leeds"
AUTHOR = "Mara Linden"
TITLE = "Head of Finance"
CREATED = datetime(2026, 4, 8, 9, 0, 0)
QUARTER = "Q1 2026"
MONTHS = ["Jan", "Feb", "Mar"]

OPENING_CASH = 184_200

# Thousandths would be false precision here: whole pounds, by month of the quarter.
REVENUE = {
    "Workshop repairs": {"plan": [38_000, 39_000, 44_000], "actual": [36_450, 40_120, 47_860]},
    "Bike sales": {"plan": [52_000, 55_000, 68_000], "actual": [49_300, 51_740, 61_980]},
    "Hire and tours": {"plan": [6_000, 8_000, 14_000], "actual": [5_180, 8_640, 15_310]},
    "Fleet contracts": {"plan": [21_000, 21_000, 24_000], "actual": [21_000, 23_500, 27_250]},
}
COSTS = {
    "Parts and stock": {"plan": [48_000, 50_000, 60_000], "actual": [46_900, 52_310, 58_450]},
    "Wages": {"plan": [41_500, 41_500, 43_000], "actual": [41_320, 42_780, 44_610]},
    "Rent and rates": {"plan": [9_800, 9_800, 9_800], "actual": [9_800, 9_800, 9_800]},
    "Marketing": {"plan": [4_000, 5_500, 7_000], "actual": [3_250, 6_180, 7_940]},
    "Software and phones": {"plan": [1_450, 1_450, 1_450], "actual": [1_512, 1_512, 1_688]},
    "Vehicles and fuel": {"plan": [3_200, 3_200, 3_600], "actual": [3_415, 3_290, 3_905]},
}
HEADCOUNT = [
    ("Workshop", "Lead mechanic", 2, 36_500),
    ("Workshop", "Mechanic", 5, 29_200),
    ("Shop", "Manager", 1, 38_000),
    ("Shop", "Sales assistant", 4, 24_800),
    ("Hire", "Tour guide (part time)", 3, 13_600),
    ("Office", "Finance and operations", 2, 41_000),
]


def total(lines: dict, which: str, month: int | None = None) -> int:
    """The sum over all lines, of one month or of the quarter."""
    months = range(3) if month is None else [month]
    return sum(values[which][m] for values in lines.values() for m in months)


def line_total(values: dict, which: str) -> int:
    return sum(values[which])


def result(which: str, month: int | None = None) -> int:
    return total(REVENUE, which, month) - total(COSTS, which, month)


def pounds(amount: int) -> str:
    return f"-£{-amount:,}" if amount < 0 else f"£{amount:,}"


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:+.1f} %"
