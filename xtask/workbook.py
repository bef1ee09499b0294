"""An independent reader of workbooks for checks: the stored values, the formulas and who reads which cells.

It knows as much of formulas as is needed to tell what a change can reach. Where it cannot tell, it says so.
"""
import posixpath
import re
import zipfile
from collections import defaultdict, namedtuple

from lxml import etree

MAX_ROW, MAX_COLUMN = 1048576, 16384
Cell = namedtuple("Cell", "row column")
Range = namedtuple("Range", "sheet top left bottom right")
PARSER = etree.XMLParser(huge_tree=True, resolve_entities=False, recover=True)
VOLATILE = {"NOW", "TODAY", "RAND", "RANDBETWEEN", "RANDARRAY", "INFO", "CELL"}
PLACES = {"ROW", "ROWS", "COLUMN", "COLUMNS", "CELL", "ADDRESS", "SHEET", "SHEETS", "FORMULATEXT", "ISFORMULA", "SUBTOTAL", "AGGREGATE"}


def column_number(letters):
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def column_name(number):
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(65 + rest) + name
    return name


def address(cell):
    return f"{column_name(cell.column)}{cell.row}"


def parse_address(text):
    match = re.fullmatch(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})", text.strip())
    return Cell(int(match[2]), column_number(match[1])) if match else None


def parse_range(text):
    first, _, last = text.partition(":")
    first, last = parse_address(first), parse_address(last or first)
    return first and last and (first.row, first.column, last.row, last.column)


def local(element):
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def undo_escapes(text):
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match[1], 16)), text)


class Formula:
    """A formula cell: its text, the cells that it fills and the value that is stored."""

    __slots__ = ("area", "kind", "text", "value")

    def __init__(self, text, kind, area, value):
        self.text, self.kind, self.area, self.value = text, kind, area, value


class Table:
    def __init__(self, area, columns, headers, totals):
        self.area, self.columns, self.headers, self.totals = area, columns, headers, totals

    def reads(self, inner):
        """The ranges of a structured reference; the whole table where it is more than columns of the data."""
        names = [name.strip() for name in re.findall(r"[^\[\],@]+", inner.lower()) if name.strip()]
        names = [name for name in names if name != "#this row"]
        if ":" in inner or "'" in inner or any(name not in self.columns for name in names):
            return [self.area]
        data = self.area._replace(top=self.area.top + self.headers, bottom=self.area.bottom - self.totals)
        if not names:
            return [data]
        lefts = [self.area.left + self.columns.index(name) for name in names]
        return [data._replace(left=left, right=left) for left in lefts]


class Sheet:
    def __init__(self, name, part):
        self.name, self.part = name, part
        self.formulas, self.numbers, self.values = {}, {}, {}
        self.rows = 0


class Workbook:
    """What a workbook stores. Raises an exception for any other file."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            self.archive = archive
            self.names, self.tables, self.strings = {}, {}, None
            root, folder = self.workbook_part()
            related = self.related(root)
            self.sheets = []
            # Names count sheets of every kind, charts too.
            sheet_names = [element.get("name") for element in folder.iter() if local(element) == "sheet"]
            for element in folder.iter():
                if local(element) == "sheet":
                    part = related.get(next((value for name, value in element.attrib.items() if name.endswith("}id")), None))
                    if part and "/worksheets/" in "/" + part and part in archive.namelist():
                        self.sheets.append(Sheet(element.get("name"), part))
                elif local(element) == "definedName":
                    scope = element.get("localSheetId")
                    scope = sheet_names[int(scope)] if scope and int(scope) < len(sheet_names) else None
                    self.names[scope, element.get("name", "").lower()] = element.text or ""
                elif local(element) == "calcPr":
                    self.full_calc = element.get("fullCalcOnLoad") in ("1", "true")
            for sheet in self.sheets:
                self.read_sheet(sheet)
            try:
                self.application = archive.read("docProps/app.xml").decode("utf-8", "replace")
            except KeyError:
                self.application = ""
            del self.archive

    full_calc = False

    def name(self, sheet, name):
        """What a name means on a sheet: its own names come before those of the workbook."""
        return self.names.get((sheet, name), self.names.get((None, name)))

    @property
    def by_excel(self):
        """Whether Excel saved it and vouches for the stored values."""
        return bool(re.search("Microsoft (Macintosh )?Excel", self.application)) and not self.full_calc

    def xml(self, part):
        return etree.fromstring(self.archive.read(part), PARSER)

    def related(self, part):
        folder, name = posixpath.split(part)
        try:
            root = self.xml(f"{folder}/_rels/{name}.rels")
        except KeyError:
            return {}
        def target(text):
            return text.lstrip("/") if text.startswith("/") else posixpath.normpath(posixpath.join(folder, text))
        return {element.get("Id"): target(element.get("Target", "")) for element in root}

    def workbook_part(self):
        root = self.xml("_rels/.rels")
        part = next(element.get("Target") for element in root if element.get("Type", "").endswith("/officeDocument")).lstrip("/")
        return part, self.xml(part)

    def string(self, number):
        if self.strings is None:
            part = next((name for name in self.archive.namelist() if name.lower().endswith("sharedstrings.xml")), None)
            items = [item for item in self.xml(part) if local(item) == "si"] if part else []
            self.strings = ["".join(text.text or "" for text in item.iter() if local(text) == "t" and local(text.getparent()) != "rPh") for item in items]
        return self.strings[number]

    def read_sheet(self, sheet):
        shared, row = {}, 0
        for element in self.xml(sheet.part).iter("{*}row"):
            row = int(element.get("r") or row + 1)
            column = 0
            for cell in element:
                if local(cell) != "c":
                    continue
                at = parse_address(cell.get("r") or "") or Cell(row, column + 1)
                column = at.column
                sheet.rows = max(sheet.rows, at.row)
                self.read_cell(sheet, at, cell, shared)
        for target in self.related(sheet.part).values():
            if "/tables/" in "/" + target and target in self.archive.namelist():
                root = self.xml(target)
                area = parse_range(root.get("ref", ""))
                if area:
                    columns = [undo_escapes(column.get("name", "")).lower() for column in root.iter("{*}tableColumn")]
                    table = Table(Range(sheet.name, *area), columns, int(root.get("headerRowCount", 1)), int(root.get("totalsRowCount", 0)))
                    self.tables[(root.get("displayName") or root.get("name") or "").lower()] = table

    def read_cell(self, sheet, at, cell, shared):
        kind, value, formula = cell.get("t", "n"), None, None
        for child in cell:
            if local(child) == "v":
                value = self.value(kind, child.text or "")
            elif local(child) == "f":
                formula = child
            elif local(child) == "is" and kind == "inlineStr":
                value = ("t", "".join(child.itertext()))
        if formula is None:
            sheet.values[at] = value
            if value and value[0] == "n":
                sheet.numbers[at] = value[1]
            return
        text, way = formula.text or "", formula.get("t", "normal")
        area = parse_range(formula.get("ref", "")) if way in ("array", "dataTable") else None
        if way == "shared" and formula.get("si"):
            if text:
                shared[formula.get("si")] = (at, text)
            elif formula.get("si") in shared:
                master, written = shared[formula.get("si")]
                text = moved(written, at.row - master.row, at.column - master.column)
        if way == "dataTable":
            text = f"TABLE({formula.get('r1', '')},{formula.get('r2', '')})"
        sheet.formulas[at] = Formula(text, way, area, value)

    def value(self, kind, text):
        try:
            if kind == "s":
                return ("t", self.string(int(text)))
            if kind == "b":
                return ("b", text.strip() in ("1", "true"))
            if kind == "e":
                return ("e", text.strip())
            if kind in ("str", "inlineStr", "d"):
                return ("t", undo_escapes(text))
            return ("n", float(text)) if text.strip() else None
        except (ValueError, IndexError):
            return ("t", text)

    def results(self):
        """The stored value of every cell that a formula gives a value to, by sheet name and cell."""
        found = {}
        for sheet in self.sheets:
            for at, formula in sheet.formulas.items():
                found[sheet.name, at] = formula.value
                if formula.area:
                    for cell in cells_of(formula.area):
                        if cell in sheet.values:
                            found.setdefault((sheet.name, cell), sheet.values[cell])
        return found

    def formula_text(self, key):
        sheet = next(sheet for sheet in self.sheets if sheet.name == key[0])
        if key[1] in sheet.formulas:
            return sheet.formulas[key[1]].text
        return next((f"{{{formula.text}}}" for formula in sheet.formulas.values() if formula.area and within(formula.area, key[1])), "")


def cells_of(area, most=100000):
    top, left, bottom, right = area
    if (bottom - top + 1) * (right - left + 1) > most:
        return
    for row in range(top, bottom + 1):
        for column in range(left, right + 1):
            yield Cell(row, column)


def within(area, cell):
    top, left, bottom, right = area
    return top <= cell.row <= bottom and left <= cell.column <= right


SHEET = r"(?:'(?:[^']|'')+'|[^\s'!(){},;:+\-*/^&=<>\"\[\]%@#]+(?::[^\s'!(){},;:+\-*/^&=<>\"\[\]%@#]+)?)!"
TOKEN = re.compile(
    r'(?P<text>"(?:[^"]|"")*")'
    r"|(?P<outside>'?[^\s'!(){},;+*/^&=<>\"]*\[\d+\][^!(){},;+*/^&=<>\"]*'?!)"
    rf"|(?P<reference>(?P<sheet>{SHEET})?(?P<area>\$?[A-Za-z]{{1,3}}\$?\d{{1,7}}(?::\$?[A-Za-z]{{1,3}}\$?\d{{1,7}})?|\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}|\$?\d{{1,7}}:\$?\d{{1,7}})(?![\w(.\[!]))"
    r"|(?P<table>[A-Za-z_\\][\w.\\]*)?\[(?P<inner>[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]"
    r"|(?P<function>[A-Za-z_][\w.]*)\s*\("
    rf"|(?P<name>(?:{SHEET})?[A-Za-z_\\][\w.\\?]*)",
)
CORNER = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)(\d{1,7})")


def moved(text, rows, columns):
    """A shared formula in the words of another of its cells."""
    def corner(match):
        row, column = int(match[4]), column_number(match[2])
        row = row if match[3] else (row + rows - 1) % MAX_ROW + 1
        column = column if match[1] else (column + columns - 1) % MAX_COLUMN + 1
        return f"{match[1]}{column_name(column)}{match[3]}{row}"

    def lines(match):
        if CORNER.search(match):
            return CORNER.sub(corner, match)
        if match[-1].isdigit():
            return ":".join(part if part[0] == "$" else str((int(part) + rows - 1) % MAX_ROW + 1) for part in match.split(":"))
        return ":".join(part if part[0] == "$" else column_name((column_number(part) + columns - 1) % MAX_COLUMN + 1) for part in match.split(":"))

    def token(match):
        return (match["sheet"] or "") + lines(match["area"]) if match["reference"] else match[0]

    return TOKEN.sub(token, text)


class Reads:
    """What a formula reads: its ranges, and whether it may read others."""

    def __init__(self):
        self.ranges, self.functions, self.dynamic, self.across = [], set(), False, False


def reads(book, sheet, at, text, depth=8):
    found = Reads()
    for match in TOKEN.finditer(text):
        if match["outside"]:
            found.dynamic = True
        elif match["reference"]:
            area = area_of(match["area"])
            where = (match["sheet"] or "")[:-1].strip("'").replace("''", "'")
            if "[" in where or not area:
                found.dynamic = True
            elif where and not any(other.name.lower() == where.lower() for other in book.sheets):
                first, _, last = where.partition(":")
                names = [other.name.lower() for other in book.sheets]
                if first.lower() in names and last.lower() in names:
                    start, end = sorted((names.index(first.lower()), names.index(last.lower())))
                    found.across = True
                    found.ranges += [Range(other.name, *area) for other in book.sheets[start:end + 1]]
            else:
                name = next((other.name for other in book.sheets if other.name.lower() == where.lower()), sheet)
                found.ranges.append(Range(name, *area))
        elif match["inner"] is not None:
            table = book.tables.get((match["table"] or "").lower())
            if table is None:
                table = next((table for table in book.tables.values() if table.area.sheet == sheet and within(table.area[1:], at)), None)
            if table is None:
                found.dynamic = True
            elif "@" in match["inner"] or "#this row" in match["inner"].lower():
                found.ranges += [area._replace(top=at.row, bottom=at.row) for area in table.reads(match["inner"])]
            else:
                found.ranges += table.reads(match["inner"])
        elif match["function"]:
            name = re.sub(r"^(_XLFN\.|_XLWS\.|_XLUDF\.)+", "", match["function"].upper())
            found.functions.add(name)
            found.dynamic |= name in ("INDIRECT", "OFFSET", "ANCHORARRAY")
        elif match["name"]:
            where, _, name = match["name"].rpartition("!")
            name = name.lower()
            if name in ("true", "false"):
                continue
            meaning = book.name(where.strip("'").replace("''", "'") or sheet, name)
            if name in book.tables:
                found.ranges += book.tables[name].reads("")
            elif meaning is not None and depth:
                inner = reads(book, sheet, at, meaning, depth - 1)
                # A name without $ counts from the cell that uses it.
                found.dynamic |= inner.dynamic or bool(re.search(r"(?<![\w$!'])[A-Za-z]{1,3}\$?\d|\$[A-Za-z]{1,3}\d", meaning))
                found.ranges += inner.ranges
                found.functions |= inner.functions
            else:
                found.dynamic = True
    if re.search(r"\)\s*:|:\s*[A-Za-z]+\(", text):
        found.dynamic = True
    return found


def area_of(text):
    first, _, last = text.replace("$", "").partition(":")
    last = last or first
    if first.isdigit():
        return (min(int(first), int(last)), 1, max(int(first), int(last)), MAX_COLUMN)
    if first.isalpha():
        left, right = sorted((column_number(first), column_number(last)))
        return (1, left, MAX_ROW, right)
    a, b = parse_address(first), parse_address(last)
    if not a or not b or max(a.row, b.row) > MAX_ROW or max(a.column, b.column) > MAX_COLUMN:
        return None
    return (min(a.row, b.row), min(a.column, b.column), max(a.row, b.row), max(a.column, b.column))


class Graph:
    """Every formula with what it reads, and what a change reaches."""

    SHORT, CHUNK = 512, 64

    def __init__(self, book):
        self.nodes, self.dynamic = {}, []
        self.short, self.long = defaultdict(list), defaultdict(lambda: defaultdict(list))
        for sheet in book.sheets:
            for at, formula in sheet.formulas.items():
                key = (sheet.name, at)
                found = reads(book, sheet.name, at, formula.text)
                self.nodes[key] = (found, formula.area)
                if formula.kind == "dataTable" and formula.area:
                    top, left, bottom, right = formula.area
                    found.ranges.append(Range(sheet.name, max(top - 1, 1), max(left - 1, 1), bottom, right))
                if found.dynamic:
                    self.dynamic.append(key)
                for area in found.ranges:
                    self.add(area, key)

    def add(self, area, key):
        height, width = area.bottom - area.top, area.right - area.left
        if height < self.SHORT and width < 64:
            for column in range(area.left, area.right + 1):
                for chunk in range(area.top // self.CHUNK, area.bottom // self.CHUNK + 1):
                    self.short[area.sheet, column, chunk].append((area.top, area.bottom, key))
        else:
            self.long[area.sheet][area].append(key)

    def readers(self, key, long):
        """The formulas that read a cell; those with long ranges are taken out of `long` when they are found."""
        sheet, cell = key
        found = [reader for top, bottom, reader in self.short.get((sheet, cell.column, cell.row // self.CHUNK), ()) if top <= cell.row <= bottom]
        areas = long.get(sheet, ())
        hit = [area for area in areas if within(area[1:], cell)]
        for area in hit:
            areas.remove(area)
            found += self.long[sheet][area]
        return found

    def reached(self, cells, formulas=(), with_dynamic=False):
        """All cells whose value can differ after these cells changed; formulas that may read anything on demand."""
        found, todo = set(), list(cells)
        long = {sheet: set(areas) for sheet, areas in self.long.items()}
        def mark(key):
            if key in found:
                return
            found.add(key)
            todo.append(key)
            area = self.nodes[key][1] if key in self.nodes else None
            for cell in cells_of(area) if area else ():
                if (key[0], cell) not in found:
                    found.add((key[0], cell))
                    todo.append((key[0], cell))
        for key in formulas:
            mark(key)
        if with_dynamic:
            for key in self.dynamic:
                mark(key)
        while todo:
            for reader in self.readers(todo.pop(), long):
                mark(reader)
        return found

    def volatile(self):
        return [key for key, (found, _) in self.nodes.items() if found.functions & VOLATILE]


SPILLED = re.compile(rf"_xlfn\.ANCHORARRAY\((?P<sheet>{SHEET})?(?P<cell>\$?[A-Z]{{1,3}}\$?\d{{1,7}})\)")


def strip_values(source, target, spilled=None):
    """Copies a workbook without any value beside a formula, and without what makes programs use old ones.

    With `spilled`, references to dynamic arrays (`A1#`) name the cells that these fill, by sheet part and then by sheet and cell.
    """
    def named(part):
        def area(match):
            sheet = (match["sheet"] or "")[:-1].strip("'").replace("''", "'") or spilled[0].get(part)
            found = spilled[1].get((sheet, parse_address(match["cell"])))
            return (match["sheet"] or "") + found if found else match[0]
        return (lambda text: SPILLED.sub(area, text)) if spilled else None

    with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as after:
        for info in before.infolist():
            data = before.read(info)
            if "worksheets/" in info.filename and info.filename.endswith(".xml") and b"<" in data:
                data = stripped(data, named(info.filename))
            after.writestr(info.filename, data)


def spilled_areas(book):
    """What `strip_values` needs to know of dynamic arrays."""
    areas = {(sheet.name, at): ":".join(address(Cell(*corner)) for corner in (formula.area[:2], formula.area[2:]))
             for sheet in book.sheets for at, formula in sheet.formulas.items() if formula.area and formula.kind == "array"}
    return {sheet.part: sheet.name for sheet in book.sheets}, areas


def stripped(data, name_spilled=None):
    root = etree.fromstring(data, PARSER)
    if root is None:
        return data
    areas, count = [], 0
    for formula in root.iter("{*}f"):
        cell = formula.getparent()
        if local(cell) != "c":
            continue
        count += 1
        if name_spilled and formula.text:
            formula.text = name_spilled(formula.text)
        if formula.get("t") in ("array", "dataTable") and parse_range(formula.get("ref", "")):
            areas.append(parse_range(formula.get("ref")))
        drop_value(cell)
    if not count:
        return data
    areas = [area for area in areas if area[0] != area[2] or area[1] != area[3]]
    if areas:
        for cell in root.iter("{*}c"):
            at = parse_address(cell.get("r") or "")
            if at and any(within(area, at) for area in areas) and not any(local(child) == "f" for child in cell):
                drop_value(cell)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def drop_value(cell):
    for child in list(cell):
        if local(child) in ("v", "is"):
            cell.remove(child)
    cell.attrib.pop("t", None)
