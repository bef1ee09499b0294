"""notes.txt: what someone wrote down in the finance meeting."""

from pathlib import Path

import company


def write(path: Path) -> None:
    path.write_text(text(), encoding="utf-8", newline="\n")


def text() -> str:
    sales = company.REVENUE["Bike sales"]
    short = company.line_total(sales, "plan") - company.line_total(sales, "actual")
    return f"""Finance meeting, 8 April 2026
Present: Mara, Jo (workshop), Priya (shop), Tom (hire)

Quarter
- Result {company.pounds(company.result("actual"))}, plan was {company.pounds(company.result("plan"))}.
- Bike sales {company.pounds(short)} short. Priya: cargo models came on 2 February, not 5 January.
- Jo: overtime is the price of the booking page. Worth it, but not for ever.

To do
[ ] Mara: board deck to the board by 14 April
[ ] Priya: autumn order, draft by 30 April
[ ] Tom: three proposals for hire prices
[x] Jo: overtime list for March

Open questions
? Does the fleet contract with Harrow Couriers renew by itself in June?
? Why is Bookwell £176 dearer since March?
"""
