"""Measures one piece of work of one peer: `peers.py WORK FILE ROUNDS`.

Prints the milliseconds of each round and, at the end, the most memory the peer held in KiB. Imports and the
start of a server are not timed: what is timed begins with the file's path and ends with the answer or the saved file.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def openpyxl_map(path):
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True)
    told = []
    for page in book.worksheets:
        rows = columns = 0
        for number, row in enumerate(page.iter_rows(values_only=True), 1):
            for column, value in enumerate(row, 1):
                if value is not None:
                    rows, columns = number, max(columns, column)
        told.append({"name": page.title, "rows": rows, "columns": columns})
    book.close()
    return told


def openpyxl_edit(path):
    import openpyxl

    book = openpyxl.load_workbook(path)
    page = book["Data"]
    for row in range(EDIT_ROW, EDIT_ROW + 10):
        page.cell(row, 5, row)
    book.save(OUTPUT)


def docx_map(path):
    import docx

    document = docx.Document(path)
    sections = [{"heading": "", "level": 0, "chars": 0}]
    for paragraph in document.paragraphs:
        style = paragraph.style.name
        if style.startswith("Heading "):
            sections.append({"heading": paragraph.text, "level": int(style[8:]), "chars": 0})
        sections[-1]["chars"] += len(paragraph.text)
    tables = [(len(table.rows), len(table.columns)) for table in document.tables]
    return sections, tables, len(document.inline_shapes)


def docx_text(path):
    import docx
    from docx.table import Table

    lines = []
    for block in docx.Document(path).iter_inner_content():
        if isinstance(block, Table):
            lines.extend(" | ".join(cell.text for cell in row.cells) for row in block.rows)
        else:
            lines.append(block.text)
    return "\n".join(lines)


def docx_replace(path):
    import docx

    document = docx.Document(path)
    cells = [cell for table in document.tables for row in table.rows for cell in row.cells]
    paragraphs = list(document.paragraphs)
    paragraphs.extend(paragraph for cell in cells for paragraph in cell.paragraphs)
    for paragraph in paragraphs:
        if "forecast" in paragraph.text:
            for run in paragraph.runs:
                if "forecast" in run.text:
                    run.text = run.text.replace("forecast", "outlook")
    document.save(OUTPUT)


def slide_texts(slide):
    for shape in slide.shapes:
        if shape.has_text_frame:
            yield shape.text_frame.text
        elif shape.has_table:
            yield from (cell.text for row in shape.table.rows for cell in row.cells)
    if slide.has_notes_slide:
        yield slide.notes_slide.notes_text_frame.text


def pptx_map(path):
    import pptx

    told = []
    for slide in pptx.Presentation(path).slides:
        title = slide.shapes.title
        shapes = [(shape.shape_type, shape.name, shape.left, shape.top) for shape in slide.shapes]
        chars = sum(len(text) for text in slide_texts(slide))
        told.append((title.text if title is not None else "", slide.slide_layout.name, shapes, chars))
    return told


def pptx_text(path):
    import pptx

    return "\n".join(text for slide in pptx.Presentation(path).slides for text in slide_texts(slide))


def pptx_add(path):
    import pptx

    deck = pptx.Presentation(path)
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Outlook"
    slide.placeholders[1].text_frame.text = "Growth"
    deck.save(OUTPUT)


def pypdf_text(path):
    import pypdf

    return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)


class Server:
    """excel-mcp-server over its standard input and output."""

    def __init__(self):
        program = Path(sys.executable).with_name("excel-mcp-server")
        # Installed by itself it has no lxml, and what openpyxl writes with lxml it cannot save.
        alone = {**os.environ, "OPENPYXL_LXML": "False"}
        pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([program, "stdio"], env=alone, text=True, **pipe)
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tell(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.tell({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == 1:
                return answer["result"]

    def tool(self, name, arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        if result.get("isError"):
            sys.exit(f"{name}: {result}")
        return result

    def end(self):
        held = most_held(self.process.pid)
        self.process.stdin.close()
        self.process.wait()
        return held


def describe(path):
    return "describe_workbook", {"path": path}


def tail(path):
    return "read_range", {"path": path, "sheet": "Data", "range": "A199951:J200000"}


def find(path):
    return "find_cells", {"path": path, "query": "199998"}


def edit(path):
    rows = [[row] for row in range(EDIT_ROW, EDIT_ROW + 10)]
    return "write_range", {"path": path, "sheet": "Data", "at": f"E{EDIT_ROW}", "rows": rows}


EDIT_ROW = 50_000
LIBRARIES = {
    "openpyxl-map": openpyxl_map,
    "openpyxl-edit": openpyxl_edit,
    "docx-map": docx_map,
    "docx-text": docx_text,
    "docx-replace": docx_replace,
    "pptx-map": pptx_map,
    "pptx-text": pptx_text,
    "pptx-add": pptx_add,
    "pypdf-text": pypdf_text,
}
TOOLS = {"excel-mcp-map": describe, "excel-mcp-tail": tail, "excel-mcp-find": find, "excel-mcp-edit": edit}
OUTPUT = ""


def by_library(work, path):
    begin = time.perf_counter()
    LIBRARIES[work](path)
    return time.perf_counter() - begin


def by_server(work, path):
    """In a server of its own each time, on a file of its own: an edit must not meet the last one's traces."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder, Path(path).name)
        own.write_bytes(Path(path).read_bytes())
        server = Server()
        tool, arguments = TOOLS[work](str(own))
        begin = time.perf_counter()
        server.tool(tool, arguments)
        took = time.perf_counter() - begin
        return took, server.end()


def most_held(process):
    """In KiB. What `getrusage` says may be of the process that started this one."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def main():
    global OUTPUT
    work, path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    memory = 0
    if work in LIBRARIES:
        import docx, openpyxl, pptx, pypdf  # noqa: E401, F401  (not timed)
    with tempfile.TemporaryDirectory() as folder:
        OUTPUT = os.path.join(folder, "output" + Path(path).suffix)
        for _ in range(rounds):
            if work in TOOLS:
                took, held = by_server(work, path)
                memory = max(memory, held)
            else:
                took = by_library(work, path)
            print(f"{took * 1000:.3f}", flush=True)
    print(memory or most_held("self"))


main()
