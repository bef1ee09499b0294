"""Records what the reference validator says of each skill folder here.

Each case is `<case>/<folder>/…`; `<folder>` is the skill's folder. Run with a Python that has the package `skills-ref`
(`pip install skills-ref`):

    python record.py            writes recorded.txt
    python record.py --check    only compares with it, and exits 1 if they differ
    python record.py --judge FOLDER...
                                says of each skill folder in these folders what the validator says
"""

import sys
from pathlib import Path

from skills_ref import validate

HERE = Path(__file__).parent
RECORDED = HERE / "recorded.txt"


def verdict(folder: Path) -> str:
    # Where the validator itself fails, its command ends with an error too: such a skill is not valid.
    try:
        problems = validate(folder)
    except Exception as failure:
        return f"invalid\t(the validator fails: {type(failure).__name__})"
    first = problems[0].splitlines()[0][:100] if problems else ""
    return f"invalid\t{first}" if problems else "valid"


def judge(parent: Path) -> None:
    for folder in sorted(parent.iterdir()):
        print(f"{parent.name}/{folder.name}\t{verdict(folder)}")


def main() -> int:
    if sys.argv[1:2] == ["--judge"]:
        for parent in sys.argv[2:]:
            judge(Path(parent))
        return 0
    cases = sorted(path for path in HERE.iterdir() if path.is_dir())
    lines = []
    for case in cases:
        (folder,) = (path for path in case.iterdir())
        lines.append(f"{case.name}\t{verdict(folder)}\n")
    text = "".join(lines)
    if "--check" not in sys.argv:
        RECORDED.write_text(text, encoding="utf-8")
        return 0
    recorded = RECORDED.read_text(encoding="utf-8").splitlines(keepends=True)
    differing = sorted(set(lines) ^ set(recorded))
    print("".join(differing), end="")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
