"""Makes one small edit to every Office file in a folder, through a worker, and counts what else changed.

`cargo xtask fidelity FOLDER` starts it. Prints one line per format and count, and to a report one JSON line per file.
The worker speaks the worker protocol on standard input and output. The edit is judged by the zip entries before and
after, by an independent library and, if VALIDATOR names its program, by the Open XML SDK's validator.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import warnings
import zipfile

from worker import Worker

warnings.simplefilter("ignore")
TEXT = "written by the fidelity check"


class Format:
    """An edit that works on every file of a format, the parts that it may change, and how to read it back."""

    def __init__(self, prefix, ops, touchable, find):
        self.prefix, self.ops, self.touchable, self.find = prefix, ops, touchable, find


def find_cell(path):
    import openpyxl

    sheet = openpyxl.load_workbook(path)["Fidelity check"]
    return (sheet["B2"].value, sheet["B3"].value) == (TEXT, 42.5)


def find_paragraph(path):
    import docx

    return any(paragraph.text == TEXT for paragraph in docx.Document(path).paragraphs)


def find_slide(path):
    import pptx

    shapes = list(pptx.Presentation(path).slides)[-1].shapes
    return any(shape.has_text_frame and shape.text_frame.text == TEXT for shape in shapes)


COMMON = ("[Content_Types].xml", "docProps/")
FORMATS = {
    "xlsx": Format("Xlsx", [
        {"op": "ensure_sheet", "sheet": "Fidelity check"},
        {"op": "set_cells", "sheet": "Fidelity check", "cells": [
            {"cell": "B2", "value": TEXT, "type": "string"}, {"cell": "B3", "value": 42.5, "type": "number"}]},
    ], ("workbook.xml", "workbook.xml.rels", "sharedStrings.xml", "styles.xml", "calcChain.xml"), find_cell),
    "docx": Format("Docx", [{"op": "append_paragraph", "text": TEXT, "style": "Normal"}], ("document.xml", "document2.xml", "styles.xml", "settings.xml"), find_paragraph),
    "pptx": Format("Pptx", [{"op": "add_slide", "layout": "title_and_content", "title": TEXT, "body": "check"}],
                   ("presentation.xml", "presentation.xml.rels"), find_slide),
}
FAMILY = {ending: family for family, endings in {"xlsx": "xlsx xlsm xltx xltm", "docx": "docx docm dotx dotm", "pptx": "pptx pptm potx ppsx ppsm"}.items() for ending in endings.split()}


def entries(path):
    """Every entry with its raw bytes: content, compression, flags and date."""
    data = path.read_bytes()
    found = {}
    with zipfile.ZipFile(path) as file:
        for info in file.infolist():
            start = info.header_offset + 30 + sum(int.from_bytes(data[info.header_offset + at:info.header_offset + at + 2], "little") for at in (26, 28))
            raw = (info.compress_type, info.flag_bits, info.date_time, data[start:start + info.compress_size])
            found[info.filename] = ((info.CRC, info.file_size), raw)
    return found


def opens(format, path):
    """Whether the independent library can open the file at all."""
    try:
        format.find(path)
    except KeyError as error:
        return format.prefix == "Xlsx" and "Fidelity check" in str(error)
    except IndexError:
        return format.prefix == "Pptx"
    except Exception:
        return False
    return True


def complaints(path):
    run = subprocess.run([os.environ["VALIDATOR"], str(path)], capture_output=True, stdin=subprocess.DEVNULL)
    errors = json.loads(run.stdout)["errors"]
    return collections.Counter((error["errorType"], error["description"], error["path"]) for error in errors)


def check(worker, source):
    """The result of one file, with a flag for each count, and the edited copy if there is one."""
    ending = source.suffix.lower()[1:]
    family = FAMILY[ending]
    format, target = FORMATS[family], worker.draft / f"file.{ending}"
    shutil.copyfile(source, target)
    result = {"file": str(source), "format": family, "files": True}
    try:
        before = entries(target)
    except Exception:
        before = None
    known = before is not None and opens(format, target)
    answers = [worker.call(format.prefix + verb, path=target.name) for verb in ("GetMap", "ExtractText")]
    result["not_read"] = known and any(answer is not None and "error" in answer for answer in answers)
    idle = worker.call(f"{format.prefix}ApplyOps", path=target.name, ops=[])
    result["changed_by_nothing"] = target.read_bytes() != source.read_bytes()
    answer = worker.call(f"{format.prefix}ApplyOps", path=target.name, ops=format.ops)
    result["crash_or_timeout"] = None in (*answers, idle, answer)
    if answer is None or "error" in answer:
        result["why"] = (answer or {}).get("error", {}).get("message")
        result["refused_but_library_opens" if known else "refused_like_library"] = True
        result["damaged_on_refusal"] = target.read_bytes() != source.read_bytes()
        return result, None
    result["edited"] = True
    try:
        after = entries(target)
    except Exception:
        return result | {"not_a_zip": True}, None
    compare(result, format, before or {}, after)
    if known:
        try:
            result["not_read_back"] = not format.find(target)
        except Exception as error:
            result |= {"not_read_back": True, "library": f"{type(error).__name__}: {error}"}
    kept = worker.root / f"{worker.count}.{ending}"
    shutil.move(target, kept)
    return result, kept


def compare(result, format, before, after):
    touchable = lambda name: name.startswith(COMMON) or name.endswith(format.touchable)
    lost = [name for name in before if name not in after and not name.endswith("calcChain.xml")]
    changed = [name for name in before if name in after and before[name][0] != after[name][0] and not touchable(name)]
    repacked = [name for name in before if name in after and before[name][0] == after[name][0] and before[name][1] != after[name][1]]
    common = [name for name in before if name in after]
    moved = common != [name for name in after if name in before]
    result |= {"lost_parts": bool(lost), "changed_parts": bool(changed), "repacked_entries": bool(repacked), "moved_entries": moved}
    result["parts"] = (lost + changed + repacked)[:8]


def judge(result, source, kept):
    if kept is not None and os.environ.get("VALIDATOR"):
        new = complaints(kept) - complaints(source)
        result["new_validation_errors"] = bool(new)
        result["errors"] = [" | ".join(map(str, error)) for error in list(new)[:5]]
    if kept is not None:
        kept.unlink()
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    parser.add_argument("--step", type=int, default=1, help="check only every N-th file")
    parser.add_argument("--report", type=pathlib.Path, help="write one JSON line per file")
    options = parser.parse_args()
    files = sorted(path for path in options.folder.rglob("*") if path.suffix.lower()[1:] in FAMILY)[:: options.step]
    worker = Worker(options.command)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as judges:
        waiting = []
        for source in files:
            result, kept = check(worker, source)
            waiting.append(judges.submit(judge, result, source, kept))
        results = [result.result() for result in waiting]
    worker.close()
    if options.report:
        options.report.write_text("".join(json.dumps(result) + "\n" for result in results))
    counts = collections.Counter((result["format"], name) for result in results for name, value in result.items() if value is True)
    for (format, name), count in sorted(counts.items()):
        print(f"{format:5} {name:28} {count}")
    bad = {"crash_or_timeout", "not_read", "changed_by_nothing", "refused_but_library_opens", "damaged_on_refusal", "not_a_zip",
           "lost_parts", "changed_parts", "repacked_entries", "moved_entries", "not_read_back", "new_validation_errors"}
    sys.exit(any(name in bad for _, name in counts))


main()
