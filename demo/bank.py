"""bank.csv: the bank's export of the quarter, 150 payments that add up to the actuals of budget.xlsx."""

import csv
import random
from calendar import monthrange
from datetime import date
from pathlib import Path

import company

HEADER = ["date", "reference", "counterparty", "description", "category", "amount", "balance"]
INVOICE = "Invoice {}"

# Category: who pays or is paid, for what, and in how many payments a month.
PAYMENTS = {
    "Workshop repairs": (["Card takings"], "Workshop", 9),
    "Bike sales": (["Card takings", "Online shop payout"], "Shop", 10),
    "Hire and tours": (["Card takings", "Tour Desk Leeds"], "Hire and tours", 5),
    "Fleet contracts": (["Harrow Couriers", "Aire Valley Deliveries"], INVOICE, 3),
    "Parts and stock": (["Northgate Components", "Velo Wholesale", "Brakeline Ltd"], INVOICE, 10),
    "Wages": (["Payroll"], "Wages", 1),
    "Rent and rates": (["Calder Estates"], "Rent, Mill Lane 4", 2),
    "Marketing": (["Aire Print Works", "Listings Online"], INVOICE, 4),
    "Software and phones": (["Bookwell Software", "Dale Telecom"], INVOICE, 2),
    "Vehicles and fuel": (["Kirkgate Garage", "Moor Road Fuel"], INVOICE, 4),
}


def write(path: Path) -> None:
    balance = company.OPENING_CASH * 100
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(HEADER)
        for number, (day, who, what, category, pence) in enumerate(payments(), start=1):
            balance += pence
            out.writerow([day.isoformat(), f"LC{number:05}", who, what, category, money(pence), money(balance)])


def payments() -> list:
    draw = random.Random(2026)
    rows = []
    for month in (1, 2, 3):
        for lines, sign in ((company.REVENUE, 1), (company.COSTS, -1)):
            for category, values in lines.items():
                rows += split(draw, month, category, sign * values["actual"][month - 1] * 100)
    return sorted(rows, key=lambda row: (row[0], row[1], row[4]))


def split(draw: random.Random, month: int, category: str, pence: int) -> list:
    """Payments of one month whose amounts add up to the whole."""
    names, what, count = PAYMENTS[category]
    weights = [draw.uniform(0.4, 1.6) for _ in range(count)]
    amounts = [round(pence * weight / sum(weights)) for weight in weights]
    amounts[-1] += pence - sum(amounts)
    return [
        (day(draw, month, category), names[n % len(names)], what.format(draw.randrange(10_000, 99_999)), category, amount)
        for n, amount in enumerate(amounts)
    ]


def day(draw: random.Random, month: int, category: str) -> date:
    """Wages go out on the 27th; nothing is booked on a Sunday."""
    if category == "Wages":
        return date(2026, month, 27)
    days = [date(2026, month, n) for n in range(2, monthrange(2026, month)[1] + 1)]
    return draw.choice([day for day in days if day.weekday() < 6])


def money(pence: int) -> str:
    sign = "-" if pence < 0 else ""
    return f"{sign}{abs(pence) // 100}.{abs(pence) % 100:02}"
