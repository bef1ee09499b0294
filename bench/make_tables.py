"""Makes the csv files of `cargo xtask bench tables`: `make_tables.py FOLDER [BYTES]`.

`rows-16.csv` has about BYTES (a billion unless said), `rows-4.csv` and `rows-1.csv` a quarter and a sixteenth. Every
file comes out the same each time. One that is already there is left alone.
"""

import random
import sys
from pathlib import Path

CITIES = ["Berlin", "Lagos", "Lima", "Oslo", "Osaka", "Porto", "Quito", "Riga", "Seoul", "Turin"]
KINDS = ["rent", "food", "travel", "wages", "tax", "stock", "repair", "power"]
WORDS = "account balance budget client cost delivery figure invoice margin order plan price report result share".split()
HEADER = "id,day,moment,city,kind,amount,quantity,paid,note\n"
# Ids make each row another one; what follows them repeats after so many.
ROWS = 50_000


def endings():
    """All of a row but its id. One note in ten holds a delimiter and quotes."""
    rng = random.Random(7)
    made = []
    for _ in range(ROWS):
        day = f"{rng.randint(2015, 2024)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        moment = f"{day} {rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"
        note = f"{rng.choice(WORDS)} {rng.choice(WORDS)} {rng.randint(1, 999)}"
        if rng.random() < 0.1:
            note = f'"{note}, ""{rng.choice(WORDS)}"""'
        amount = f"{rng.uniform(-5_000, 20_000):.2f}"
        paid = rng.choice(["true", "false"])
        made.append(f",{day},{moment},{rng.choice(CITIES)},{rng.choice(KINDS)},{amount},{rng.randint(1, 500)},{paid},{note}\n")
    return made


def rows(path, size, endings):
    written, number = len(HEADER), 0
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(HEADER)
        while written < size:
            block = "".join(f"{number + place}{ending}" for place, ending in enumerate(endings))
            number += ROWS
            # The smallest files are cut between two rows.
            if written + len(block) > size:
                block = block[: block.rfind("\n", 0, size - written) + 1]
                size = 0
            written += file.write(block)


def main():
    folder = Path(sys.argv[1])
    whole = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000_000
    folder.mkdir(parents=True, exist_ok=True)
    made = None
    for part in (1, 4, 16):
        path = folder / f"rows-{part}.csv"
        if not path.exists():
            made = made or endings()
            # Under another name first: a file that was broken off must not count as made.
            half = folder / f"half-{path.name}"
            rows(half, whole * part // 16, made)
            half.rename(path)


main()
