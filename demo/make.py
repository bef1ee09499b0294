"""Writes the demo's files: one small company's budget, report, deck, bank export, policy and notes.

    python3 -m venv target/demo-venv && target/demo-venv/bin/pip install -r demo/requirements.txt
    target/demo-venv/bin/python demo/make.py [folder]

Every number comes from `company.py`, so the files agree with each other, and every date is fixed, so a
second run gives the same bytes.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # keeps the checkout clean

import bank
import budget
import deck
import notes
import policy
import report

FILES = {
    "budget.xlsx": budget.write,
    "report.docx": report.write,
    "deck.pptx": deck.write,
    "bank.csv": bank.write,
    "policy.pdf": policy.write,
    "notes.txt": notes.write,
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "files"
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in FILES.items():
        write(folder / name)
        print(f"{(folder / name).stat().st_size:>7} {name}")


if __name__ == "__main__":
    main()
