"""Edits copies of real workbooks through a worker and compares every formula value with LibreOffice's.

`cargo xtask corpus FOLDER` starts it. LibreOffice gets copies without any stored formula value, so it cannot repeat ours.
Per workbook: all formulas are computed from a copy without values (the read), then a number that formulas read is
changed, a row is inserted, and another number is changed, each on top of the last. Prints totals, what is wrong and
what was not computed, and a table of the shares: a line for each folder in FOLDER. Writes one JSON line per workbook to a
report. Ends with 1 if anything is wrong.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from workbook import PLACES, Cell, Graph, Workbook, address, cells_of, reads, spilled_areas, strip_values
from worker import Worker

ENDINGS = (".xlsx", ".xlsm", ".xltx", ".xltm")
BATCH = 30
LIBREOFFICE_SECONDS = 90
MOST_FORMULAS = 60000
# The receipt lists so many stale cells; beyond, it only counts.
LISTED = 1000
# Numbers that differ by less than this, relative to the numbers that they are made of, differ only by rounding.
ROUNDING = 1e-11
FUNCTIONS = pathlib.Path(__file__).parent.parent / "crates/jig-formula/src/functions.tsv"
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


class LibreOffice:
    """Converts many workbooks per start; one start at a time, in a profile of its own."""

    def __init__(self, program):
        self.program = program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jig-corpus-"))
        (self.folder / "profile" / "user").mkdir(parents=True)
        (self.folder / "profile" / "user" / "registrymodifications.xcu").write_text(SETTINGS)
        self.inputs, self.outputs = self.folder / "in", self.folder / "out"

    def clear(self):
        for folder in (self.inputs, self.outputs):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()

    def convert(self, files):
        """Computes the files in the folder of inputs. One that makes the program fail is left out."""
        if not files:
            return
        command = [self.program, f"-env:UserInstallation=file://{self.folder}/profile", "--headless", "--norestore",
                   "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", str(self.outputs), *map(str, files)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        done, since = 0, time.monotonic()
        while process.poll() is None:
            time.sleep(0.2)
            if len(list(self.outputs.iterdir())) > done:
                done, since = len(list(self.outputs.iterdir())), time.monotonic()
            elif time.monotonic() - since > LIBREOFFICE_SECONDS:
                os.killpg(process.pid, 9)
                process.wait()
        # It takes the files in order: the first one without a result is the one that it cannot do.
        left = [file for file in files if not self.output(file.stem).exists()]
        self.convert(left[1:])

    def output(self, stem):
        return self.outputs / f"{stem}.xlsx"

    def results(self, stem):
        """The values by sheet and cell; None if LibreOffice did not open the file."""
        try:
            book = Workbook(self.output(stem))
        except Exception:
            return None
        found = {}
        for sheet in book.sheets:
            found |= {(sheet.name, at): value for at, value in sheet.values.items()}
            found |= {(sheet.name, at): formula.value for at, formula in sheet.formulas.items()}
        return found

    def close(self):
        shutil.rmtree(self.folder)


def same(a, b):
    """Whether two values are equal. LibreOffice has no truth values of their own."""
    if a is None or b is None:
        return a is b
    number = lambda value: float(value[1]) if value[0] in "nb" else None
    if number(a) is not None and number(b) is not None:
        return abs(number(a) - number(b)) <= max(1e-9 * abs(number(b)), 1e-11)
    if a[0] == b[0] == "t":
        return a[1].replace("\r\n", "\n") == b[1].replace("\r\n", "\n")
    return a == b


def differ_by_rounding(a, b, operands):
    """Whether two numbers, neither of them 0, differ by as little as the rounding of what they are made of."""
    if a[0] != "n" or b[0] != "n" or not a[1] or not b[1]:
        return False
    return abs(a[1] - b[1]) <= ROUNDING * max(map(abs, operands), default=0)


def operands(key, book, graph, results):
    """The numbers in the ranges that a formula names."""
    numbers = {sheet.name: sheet.numbers for sheet in book.sheets}
    for area in graph.nodes[key][0].ranges if key in graph.nodes else ():
        for cell in cells_of(area[1:]):
            value = results.get((area.sheet, cell)) or ("n", numbers.get(area.sheet, {}).get(cell, 0))
            if value[0] == "n":
                yield value[1]


def shown(value):
    return "nothing" if value is None else f"{value[1]!r}" if value[0] == "t" else str(value[1])


def reason(text):
    """The class of a reason, and the function that it names."""
    match = re.match(r"the function (\S+) is not supported", text)
    if match:
        return "function not computed", match[1]
    for start, name in (("it depends on", "unknown precedent"), ("it reaches outside", "outside the workbook"), ("it refers to itself", "refers to itself"),
                        ("the formula cannot be read", "cannot be read"), ("it exceeds the limit", "limit")):
        if text.startswith(start):
            return name, None
    if text.endswith("changes with every calculation"):
        return "time or chance", None
    return re.sub(r"`.*?`|\(.*\)|[A-Z][A-Z.]{2,}", "…", text)[:60], None


class Step:
    """A file between edits: its values, and how cells moved since the step before."""

    def __init__(self, path, stem, moved=lambda key: key, changed=(), inserted=None, receipt=None):
        self.book = Workbook(path)
        self.results, self.stem, self.moved, self.changed, self.inserted = self.book.results(), stem, moved, changed, inserted
        self.graph = None
        self.stale = {stale["cell"]: stale for stale in (receipt or {}).get("stale", ())}
        self.stale_count = (receipt or {}).get("stale_count", len(self.stale))


class Check:
    """One workbook on its way through the edits."""

    def __init__(self, source, folder, number, seed):
        self.source, self.number, self.name = source, number, source.name
        self.random = random.Random(f"{seed}:{source.name}")
        self.result = {"file": source.name, "folder": folder, "formulas": 0, "removed": 0, "counts": collections.Counter(), "reasons": collections.Counter(),
                       "functions": collections.Counter(), "refused": [], "wrong": [], "faults": [], "libreoffice_differs": []}
        self.steps = []

    def fault(self, what, **details):
        self.result["faults"].append({"what": what, **details})

    def prepare(self, worker, office):
        """Applies the edits and leaves the files that LibreOffice is to compute."""
        self.original = Workbook(self.source)
        formulas = sum(len(sheet.formulas) for sheet in self.original.sheets)
        self.result["formulas"] = formulas
        if not formulas or formulas > MOST_FORMULAS:
            self.result["skipped"] = "no formulas" if not formulas else "too many formulas"
            return
        self.graph = Graph(self.original)
        self.result["functions"] = not_computed_functions(self.original, allowed_functions())
        draft = worker.draft / f"file{self.source.suffix.lower()}"
        self.files = []
        strip_values(self.source, draft)
        self.hand_over(draft, office, "base")
        answer = worker.call("XlsxApplyOps", path=draft.name, ops=[{"op": "ensure_sheet", "sheet": self.original.sheets[0].name}], recalculate="workbook")
        if self.refused(answer, "computing all values"):
            return
        self.computed = Step(draft, "base", receipt=answer["result"].get("receipt"))
        self.check_reads(worker, draft)
        shutil.copyfile(self.source, draft)
        self.steps.append(Step(draft, "base"))
        for stem, choose in (("first", self.number_edit), ("row", self.row_edit), ("second", self.number_edit)):
            last = self.steps[-1]
            last.graph = Graph(last.book) if last is not self.steps[0] else self.graph
            edit = choose(last.book, last.graph)
            if edit is None:
                continue
            op, changed, inserted = edit
            answer = worker.call("XlsxApplyOps", path=draft.name, ops=[op])
            if self.refused(answer, json.dumps(op)):
                continue
            self.steps.append(Step(draft, stem, shifted(inserted), changed, inserted, answer["result"].get("receipt")))
            if stem != "row":
                self.hand_over(draft, office, stem)

    def refused(self, answer, what):
        if answer is None:
            self.fault("crash or timeout", during=what)
        elif "error" in answer:
            self.result["refused"].append(answer["error"].get("message"))
        return answer is None or "error" in answer

    def hand_over(self, draft, office, stem):
        target = office.inputs / f"{self.number}-{stem}{self.source.suffix.lower()}"
        strip_values(draft, target, spilled_areas(Workbook(draft)))
        self.files.append(target)

    def number_edit(self, book, graph):
        """Another value for a number that a formula reads."""
        numbers = {sheet.name: sheet.numbers for sheet in book.sheets}
        keys = list(graph.nodes)
        self.random.shuffle(keys)
        for key in keys[:300]:
            ranges = list(graph.nodes[key][0].ranges)
            self.random.shuffle(ranges)
            for area in ranges:
                here = numbers.get(area.sheet, {})
                wanted = cells_of(area[1:], 2000)
                cells = [cell for cell in wanted if cell in here] or [cell for cell in list(here)[:2000] if area.top <= cell.row <= area.bottom and area.left <= cell.column <= area.right]
                if cells:
                    cell = self.random.choice(cells)
                    old = here[cell]
                    new = self.random.choice([old + 1, old * 2 + 0.5, -old, 0, 7, round(old / 3, 4), old - 1])
                    op = {"op": "set_cells", "sheet": area.sheet, "cells": [{"cell": address(cell), "value": new, "type": "number"}]}
                    return op, [(area.sheet, cell)], None
        return None

    def row_edit(self, book, graph):
        name, _ = self.random.choice(list(graph.nodes))
        sheet = next(sheet for sheet in book.sheets if sheet.name == name)
        row = self.random.randint(1, min(sheet.rows + 1, 1000))
        return {"op": "insert_rows", "sheet": sheet.name, "row": row}, [], (sheet.name, row)

    def check_reads(self, worker, draft):
        """Readers show the values that are computed and stored, from a copy without them."""
        strip_values(draft, draft.with_name("bare" + draft.suffix))
        for sheet in self.original.sheets[:3]:
            if not sheet.formulas:
                continue
            first = min(sheet.formulas)
            answer = worker.call("XlsxRenderGrid", path="bare" + draft.suffix, sheet=sheet.name, row_start=first.row - 1, row_count=100, col_start=0, col_count=50)
            if answer is None or "error" in answer:
                self.fault("cannot be read", sheet=sheet.name, why=(answer or {}).get("error", {}).get("message"))
                continue
            for down, row in enumerate(answer["result"]["cells"]):
                for right, cell in enumerate(row):
                    key = (sheet.name, Cell(first.row + down, right + 1))
                    if cell and key in self.computed.results:
                        stored = self.computed.results[key]
                        if bool(cell.get("stale")) != (stored is None):
                            self.fault("read and stored differ", cell=name_of(key), stored=shown(stored), read=str(cell.get("value")))

    def judge(self, office):
        if "skipped" in self.result or not self.steps:
            return
        values = {file.stem.partition("-")[2]: office.results(file.stem) for file in self.files}
        base = values.get("base")
        if base is None:
            self.result["skipped"] = "LibreOffice does not open it"
            return
        self.judge_read(base)
        for before, after in zip(self.steps, self.steps[1:]):
            self.judge_removals(before, after)
            if after.stem in values:
                if values[after.stem] is None:
                    self.fault("LibreOffice does not open the edited file", step=after.stem)
                    return
        self.judge_edits(values)

    def judge_read(self, base):
        """The values computed from a copy without any, against LibreOffice's and those that Excel stored."""
        counts = self.result["counts"]
        excel = self.original.results() if self.original.by_excel else {}
        volatile = self.graph.reached((), self.graph.volatile())
        self.differs = set()
        for key, ours in self.computed.results.items():
            theirs, stored = base.get(key), excel.get(key)
            counts["read formulas"] += 1
            if ours is None:
                counts["read stale"] += 1
                continue
            counts["read computed"] += 1
            if key in volatile:
                counts["read volatile"] += 1
            elif same(ours, theirs):
                counts["read right"] += 1
                if stored is not None and not same(ours, stored):
                    counts["read right, Excel stored another value"] += 1
            else:
                self.differs.add(key)
                self.differ("read", key, self.original, ours, theirs, stored, self.graph, self.computed.results)
        self.count_reasons("read", self.computed.stale)

    def count_reasons(self, step, stale):
        """Counts the listed cells by their first cause: the reason at the start of the chain of cells that each depends on."""
        for cell in stale:
            seen = set()
            while cell not in seen and (match := re.match(r"it depends on (.*), which was not computed", stale[cell]["reason"])):
                seen.add(cell)
                first = next((name for name in (match[1], unquoted(match[1])) if name in stale), None)
                cell = first or cell
            kind, function = reason(stale[cell]["reason"])
            self.result["reasons"][f"{step}: {kind}{' ' + function if function else ''}"] += 1

    def differ(self, step, key, book, ours, theirs, stored, graph, results):
        record = {"step": step, "cell": name_of(key), "formula": book.formula_text(key)[:300], "ours": shown(ours), "libreoffice": shown(theirs)}
        counts = self.result["counts"]
        if stored is not None and same(ours, stored):
            self.result["libreoffice_differs"].append({**record, "why": "Excel stored our value"})
        elif ours == ("t", "") and theirs == ("n", 0.0) and re.fullmatch(r"('[^']+'!|\w+!)?\$?[A-Z]+\$?\d+", record["formula"]):
            self.result["libreoffice_differs"].append({**record, "why": "LibreOffice reads a cell with an empty text as empty"})
        elif theirs is None:
            counts[f"{step} not known to LibreOffice"] += 1
        elif differ_by_rounding(ours, theirs, operands(key, book, graph, results)):
            counts[f"{step} differs only by rounding"] += 1
        elif theirs == ("e", "#NAME?") and ours[0] != "e" and stored is None:
            self.result["libreoffice_differs"].append({**record, "why": "LibreOffice does not know a function or name"})
        elif ours[0] == theirs[0] == "e":
            self.result["libreoffice_differs"].append({**record, "why": "another error"})
        else:
            self.result["wrong"].append({**record, "excel": shown(stored)})

    def judge_removals(self, before, after):
        """No value goes that the edit does not affect, and none without a word."""
        graph = after.graph = after.graph or Graph(after.book)
        formulas = []
        if after.inserted:
            sheet, row = after.inserted
            for key, (found, _) in graph.nodes.items():
                reaches = any(area.sheet == sheet and area.bottom >= row for area in found.ranges)
                if reaches or found.across or found.functions & PLACES:
                    formulas.append(key)
        strict = graph.reached(after.changed, [])
        wide = graph.reached(after.changed, formulas, with_dynamic=True)
        after.affected = strict
        old = {before_key: value for before_key, value in ((after.moved(key), value) for key, value in before.results.items())}
        unreported = after.stale_count <= LISTED
        counts = self.result["counts"]
        for key, value in after.results.items():
            name = name_of(key)
            if key in strict:
                counts["affected"] += 1
                counts["affected stale" if value is None else "affected computed"] += 1
            if value is not None:
                continue
            had = old.get(key) is not None
            if had and key not in wide:
                self.result["removed"] += 1
                self.fault("an unaffected value was removed", step=after.stem, cell=name, formula=after.book.formula_text(key)[:200], old=shown(old[key]))
            # A formula that fills several cells is reported for those that had a value.
            if (had or key in strict and key in graph.nodes) and unreported and name not in after.stale:
                self.fault("no value and not reported", step=after.stem, cell=name, formula=after.book.formula_text(key)[:200])
        self.count_reasons("edit", after.stale)

    def judge_edits(self, values):
        """Every stored value after the first and the last edit."""
        counts = self.result["counts"]
        base = values["base"]
        untrusted = self.original.full_calc
        excel = self.original.results() if self.original.by_excel else {}
        to_now = lambda key: key
        # Cells where LibreOffice and the stored value differ from the start, and all that builds on them, cannot be judged.
        start = self.original.results()
        doubtful = {key for key, value in start.items() if value is not None and not untrusted and not same(value, base.get(key))}
        doubtful |= {key for key, value in base.items() if key in start and value == ("e", "#NAME?")}
        doubtful |= set(self.graph.volatile()) | self.differs
        written = set()
        for before, after in zip(self.steps, self.steps[1:]):
            last = to_now
            to_now = lambda key, last=last, moved=after.moved: moved(last(key))
            graph = after.graph
            written = {after.moved(key) for key in written} | after.affected
            old = {after.moved(key): value for key, value in before.results.items()}
            written |= {key for key, value in after.results.items() if value is not None and not same(value, old.get(key))}
            theirs = values.get(after.stem)
            if theirs is None:
                continue
            moved = {to_now(key) for key in doubtful}
            tainted = moved | graph.reached(moved)
            for key, ours in after.results.items():
                if ours is None:
                    continue
                counts[f"{after.stem} stored"] += 1
                if key in tainted:
                    counts[f"{after.stem} not decidable"] += 1
                elif same(ours, theirs.get(key)):
                    counts[f"{after.stem} right"] += 1
                elif untrusted and key not in written:
                    counts[f"{after.stem} left as the file had it"] += 1
                else:
                    self.differ(after.stem, key, after.book, ours, theirs.get(key), None, graph, after.results)


def shifted(inserted):
    if not inserted:
        return lambda key: key
    sheet, row = inserted
    return lambda key: (key[0], Cell(key[1].row + 1, key[1].column)) if key[0] == sheet and key[1].row >= row else key


def name_of(key):
    return f"{key[0]}!{address(key[1])}"


def unquoted(name):
    sheet, _, cell = name.rpartition("!")
    return sheet.strip("'").replace("''", "'") + "!" + cell


def run(source, number, options, worker, office):
    inside = source.relative_to(options.folder).parts
    check = Check(source, inside[0] if inside[1:] else options.folder.name, number, options.seed)
    try:
        check.prepare(worker, office)
    except Exception as error:
        check.result["skipped"] = f"not read by this check ({type(error).__name__})"
        if options.debug:
            raise
    return check


def not_computed_functions(book, allowed):
    """The functions of a workbook that are never computed, each with how many formulas call it."""
    found = collections.Counter()
    for sheet in book.sheets:
        for at, formula in sheet.formulas.items():
            found.update(reads(book, sheet.name, at, formula.text).functions - allowed)
    return found


def allowed_functions():
    rows = [line.split("\t") for line in FUNCTIONS.read_text("utf-8").splitlines()[1:]]
    return {row[0] for row in rows if row[-1] == "yes"}


def share(counts, part, whole):
    return f"{counts[part]:,} ({100 * counts[part] / counts[whole]:.1f} %)" if counts[whole] else "–"


def table(results):
    """A Markdown table of the shares: a row for each folder, and all together."""
    rows = collections.defaultdict(list)
    for result in results:
        rows[result["folder"]].append(result)
    if len(rows) > 1:
        rows["all"] = results
    lines = ["| corpus | workbooks | formulas | computed without stored values | affected by an edit | computed | wrong | removed without need |", "|---|---|---|---|---|---|---|---|"]
    for name, found in rows.items():
        checked = [result for result in found if "skipped" not in result]
        counts = sum((collections.Counter(result["counts"]) for result in checked), collections.Counter())
        wrong, removed = sum(len(result["wrong"]) for result in checked), sum(result["removed"] for result in checked)
        lines.append(f"| {name} | {len(checked)} | {counts['read formulas']:,} | {share(counts, 'read computed', 'read formulas')} | {counts['affected']:,} "
                     f"| {share(counts, 'affected computed', 'affected')} | {wrong} | {removed} |")
    return lines


def summary(results, seconds, seed):
    """The lines to print, and whether all is well."""
    total = collections.Counter()
    counts, reasons, functions, users = collections.Counter(), collections.Counter(), collections.Counter(), collections.Counter()
    for result in results:
        counts.update(result["counts"])
        reasons.update(result["reasons"])
        functions.update(result["functions"])
        users.update(result["functions"].keys())
        total["workbooks"] += 1
        total[f"skipped: {result['skipped']}" if "skipped" in result else "checked"] += 1
        total["refused edits"] += len(result["refused"])
        total["formulas"] += result["formulas"]
        for name in ("wrong", "faults", "libreoffice_differs"):
            total[name] += len(result[name])
    lines = [f"{name}: {count}" for name, count in sorted(total.items())]
    lines += [f"  {name}: {count}" for name, count in sorted(counts.items())]
    lines += ["not computed, by first cause (of the cells that a receipt lists):"] + [f"  {count:6} {name}" for name, count in reasons.most_common()]
    lines += ["functions not computed, by use (formulas, workbooks):"] + [f"  {count:6} {users[name]:4} {name}" for name, count in functions.most_common(80)]
    for name, title in (("wrong", "WRONG"), ("faults", "FAULT"), ("libreoffice_differs", "not counted")):
        for result in results:
            lines += [f"{title}: {result['file']}: " + ", ".join(f"{key} {value}" for key, value in record.items()) for record in result[name][:20]]
    lines += table(results)
    lines.append(f"seed {seed}, {seconds:.0f} s")
    return lines, not total["wrong"] and not total["faults"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    parser.add_argument("--step", type=int, default=1, help="check only every N-th file")
    parser.add_argument("--seed", type=int, default=1, help="choose other edits")
    parser.add_argument("--report", type=pathlib.Path, help="write one JSON line per workbook")
    parser.add_argument("--debug", action="store_true", help="end at the first failure of the check itself")
    options = parser.parse_args()
    files = sorted(path for path in options.folder.rglob("*") if path.suffix.lower() in ENDINGS)[:: options.step]
    began, results = time.monotonic(), []
    worker, office = Worker(options.command), LibreOffice(os.environ.get("SOFFICE", "soffice"))
    report = options.report.open("w") if options.report else None
    waiting = []
    def settle():
        office.convert([file for check in waiting for file in getattr(check, "files", ())])
        for check in waiting:
            check.judge(office)
            results.append(check.result)
            if report:
                report.write(json.dumps(check.result) + "\n")
                report.flush()
        waiting.clear()
        office.clear()
        wrong = sum(len(result["wrong"]) + len(result["faults"]) for result in results)
        print(f"{len(results)} of {len(files)} workbooks, {wrong} wrong, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    office.clear()
    for number, source in enumerate(files):
        check = run(source, number, options, worker, office)
        if "skipped" in check.result:
            results.append(check.result)
            if report:
                report.write(json.dumps(check.result) + "\n")
            continue
        waiting.append(check)
        if len(waiting) >= BATCH:
            settle()
    settle()
    worker.close()
    office.close()
    lines, well = summary(results, time.monotonic() - began, options.seed)
    print("\n".join(lines))
    sys.exit(0 if well else 1)


main()
