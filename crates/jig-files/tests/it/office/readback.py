"""Reads Office files with libraries of their own and compares with what should be there.

In: a list of {"file", "kind", "expect": [...]}. Out: a list of {"file", "expected", "found"}, empty if all is well.
An expectation names a place ("sheet" and "cell", "paragraph", "slide", ...) and what is found there; the functions below
say which words there are. A word that nobody knows is an error, so that no expectation is passed over.
"""
import datetime
import json
import os
import sys


def plain(value):
    """As JSON has it: dates as ISO text, lengths in points, rich text and array formulas as their text."""
    if type(value).__name__ == "CellRichText":
        return str(value)
    if type(value).__name__ in ("ArrayFormula", "DataTableFormula"):
        return getattr(value, "text", None) or str(value.ref)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    return value.pt if hasattr(value, "pt") else value


def colour(value):
    return value.rgb[-6:] if value is not None and isinstance(value.rgb, str) else None


def column(sheet, letters, name):
    """A property of a column; the library keeps those of a run of columns at the first of them."""
    from openpyxl.utils import column_index_from_string

    number = column_index_from_string(letters)
    for found in sheet.column_dimensions.values():
        first, last = found.min or column_index_from_string(found.index), found.max or column_index_from_string(found.index)
        if first <= number <= last:
            return getattr(found, name)
    return None


def chart_words(chart):
    """Its kind, its title and the references of its series, those of a combined chart included."""
    title = chart.title
    text = "".join(run.t for p in title.tx.rich.p for run in (p.r or [])) if title is not None and title.tx is not None else None
    values = lambda series: series.val or series.yVal
    return [type(chart).__name__, text, [values(series).numRef.f for part in chart._charts for series in part.ser]]


def xlsx(file):
    import openpyxl

    books = {}

    def book(values):
        if values not in books:
            books[values] = openpyxl.load_workbook(file, data_only=values, rich_text=True)
        return books[values]

    def find(expected):
        if "sheets" in expected:
            return {"sheets": book(False).sheetnames}
        if "names" in expected:
            return {"names": {name: item.attr_text for name, item in book(False).defined_names.items()}}
        sheet = book(False)[expected["sheet"]]
        found = {"sheet": expected["sheet"]}
        if "cell" in expected:
            cell = sheet[expected["cell"]]
            border = lambda side: [side.style, colour(side.color)]
            words = {
                "cell": lambda: expected["cell"],
                "value": lambda: plain(cell.value),
                # The value that another program would show without calculating.
                "cached": lambda: plain(book(True)[expected["sheet"]][expected["cell"]].value),
                "type": lambda: cell.data_type,
                "array": lambda: cell.value.ref,
                "number_format": lambda: cell.number_format,
                "font": lambda: cell.font.name,
                "size": lambda: cell.font.sz,
                "bold": lambda: bool(cell.font.b),
                "italic": lambda: bool(cell.font.i),
                "color": lambda: colour(cell.font.color),
                "fill": lambda: colour(cell.fill.fgColor),
                "pattern": lambda: cell.fill.fill_type,
                "horizontal": lambda: cell.alignment.horizontal,
                "vertical": lambda: cell.alignment.vertical,
                "wrap": lambda: bool(cell.alignment.wrap_text),
                "top": lambda: border(cell.border.top),
                "bottom": lambda: border(cell.border.bottom),
                "left": lambda: border(cell.border.left),
                "right": lambda: border(cell.border.right),
                "comment": lambda: cell.comment.text if cell.comment is not None else None,
                "comment_author": lambda: cell.comment.author,
                "link": lambda: (cell.hyperlink.target or cell.hyperlink.location) if cell.hyperlink is not None else None,
            }
        else:
            words = {
                "column": lambda: expected["column"],
                "width": lambda: sheet.column_dimensions[expected["column"]].width,
                "row": lambda: expected["row"],
                "height": lambda: sheet.row_dimensions[expected["row"]].height,
                "row_hidden": lambda: bool(sheet.row_dimensions[expected["row"]].hidden),
                "row_level": lambda: sheet.row_dimensions[expected["row"]].outlineLevel,
                "column_hidden": lambda: bool(column(sheet, expected["column"], "hidden")),
                "column_level": lambda: int(column(sheet, expected["column"], "outlineLevel") or 0),
                "filter": lambda: sheet.auto_filter.ref,
                "print_area": lambda: sheet.print_area,
                "titles": lambda: sheet.print_title_rows,
                "title_columns": lambda: sheet.print_title_cols,
                "orientation": lambda: sheet.page_setup.orientation,
                "scale": lambda: sheet.page_setup.scale,
                "tab": lambda: colour(sheet.sheet_properties.tabColor),
                "protected": lambda: sheet.protection.sheet,
                "freeze": lambda: sheet.freeze_panes,
                "merged": lambda: sorted(str(area) for area in sheet.merged_cells.ranges),
                "tables": lambda: {table.displayName: table.ref for table in sheet.tables.values()},
                "validations": lambda: sorted(str(rule.sqref) for rule in sheet.data_validations.dataValidation),
                "formats": lambda: sorted(str(area.sqref) for area in sheet.conditional_formatting),
                "state": lambda: sheet.sheet_state,
                "pivots": lambda: [[pivot.name, pivot.location.ref] for pivot in sheet._pivots],
                "images": lambda: [image.anchor._from.row + 1 for image in sheet._images],
                "charts": lambda: [chart_words(chart) for chart in sheet._charts],
            }
        return found | {word: words[word]() for word in expected if word != "sheet"}

    return find


def run_words(run):
    rgb = lambda font: str(font.color.rgb) if font.color is not None and font.color.type == 1 else None
    return {
        "text": lambda: run.text,
        "bold": lambda: run.font.bold,
        "italic": lambda: run.font.italic,
        "underline": lambda: bool(run.font.underline),
        "font": lambda: run.font.name,
        "size": lambda: plain(run.font.size),
        "color": lambda: rgb(run.font),
        "highlight": lambda: run.font.highlight_color.name if run.font.highlight_color is not None else None,
    }


def paragraph_words(paragraph, shape):
    return {
        "text": lambda: paragraph.text,
        "alignment": lambda: shape.alignment.name if shape.alignment is not None else None,
        "space_before": lambda: plain(shape.space_before),
        "space_after": lambda: plain(shape.space_after),
        "line_spacing": lambda: plain(shape.line_spacing),
    }


def runs(paragraph, expected):
    """Each run by the words that its expectation has."""
    found = paragraph.runs
    if len(found) != len(expected):
        return [run.text for run in found]
    return [{word: run_words(run)[word]() for word in words} for run, words in zip(found, expected)]


def docx(file):
    import docx as library
    from docx.oxml.ns import qn

    document = library.Document(file)

    def find(expected):
        if "paragraph" in expected:
            index = expected["paragraph"]
            paragraph = document.paragraphs[index]
            shape = paragraph.paragraph_format
            inches = lambda length: round(length.inches, 3) if length is not None else None
            words = paragraph_words(paragraph, shape) | {
                "paragraph": lambda: index,
                "style": lambda: paragraph.style.name,
                "indent_left": lambda: inches(shape.left_indent),
                "indent_right": lambda: inches(shape.right_indent),
                "indent_first_line": lambda: inches(shape.first_line_indent),
                "runs": lambda: runs(paragraph, expected["runs"]),
                "links": lambda: [link.text for link in paragraph.hyperlinks],
            }
        else:
            part = lambda header: "\n".join(paragraph.text for paragraph in header.paragraphs)
            text = lambda: "".join(document.element.body.itertext())
            words = {
                "contains": lambda: expected["contains"] if expected["contains"] in text() else False,
                "lacks": lambda: expected["lacks"] if expected["lacks"] not in text() else False,
                "paragraphs": lambda: [paragraph.text for paragraph in document.paragraphs],
                "table": lambda: expected["table"],
                "rows": lambda: [[cell.text for cell in row.cells] for row in document.tables[expected["table"]].rows],
                "table_style": lambda: document.tables[expected["table"]].style.name,
                "header": lambda: part(document.sections[0].header),
                "footer": lambda: part(document.sections[0].footer),
                "sections": lambda: len(document.sections),
                "pictures": lambda: len(document.inline_shapes),
                "comments": lambda: [[comment.author, comment.text] for comment in document.comments],
                "inserted": lambda: tracked("ins", "t"),
                "deleted": lambda: tracked("del", "delText"),
            }
        return {word: words[word]() for word in expected}

    def tracked(mark, tag):
        texts = ([text.text or "" for text in found.iter(qn(f"w:{tag}"))] for found in document.element.body.iter(qn(f"w:{mark}")))
        # A mark without text belongs to the end of a paragraph or to a row.
        return ["".join(text) for text in texts if text]

    return find


def chart(found):
    """The type of a chart, its series and the cells of the workbook inside it."""
    import io

    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(found.part.chart_workbook.xlsx_part.blob), data_only=True)
    plots = list(found.plots)
    return {
        "title": found.chart_title.text_frame.text if found.has_title else None,
        "kinds": [type(plot).__name__ for plot in plots],
        "categories": [str(category) for category in plots[0].categories],
        "series": [[series.name, list(series.values)] for plot in plots for series in plot.series],
        "cells": [list(row) for row in book.worksheets[0].iter_rows(values_only=True)],
    }


def pptx(file):
    from pptx import Presentation

    deck = Presentation(file)

    def shapes(group):
        for shape in group:
            yield shape
            if shape.shape_type == 6:
                yield from shapes(shape.shapes)

    def find(expected):
        if "slides" in expected:
            return {"slides": len(deck.slides)}
        if "titles" in expected:
            titles = (slide.shapes.title for slide in deck.slides)
            return {"titles": [title.text_frame.text if title is not None else None for title in titles]}
        slide = list(deck.slides)[expected["slide"]]
        body = lambda: next(shape for shape in slide.placeholders if shape.placeholder_format.idx == 1).text_frame
        named = lambda name: next(shape for shape in shapes(slide.shapes) if shape.name == name)
        place = lambda shape: [round(side.inches, 2) for side in (shape.left, shape.top, shape.width, shape.height)]
        frames = [shape.text_frame for shape in shapes(slide.shapes) if shape.has_text_frame]
        words = {
            "slide": lambda: expected["slide"],
            "layout": lambda: slide.slide_layout.name,
            "title": lambda: slide.shapes.title.text_frame.text,
            "body": lambda: [paragraph.text for paragraph in body().paragraphs],
            "levels": lambda: [paragraph.level for paragraph in body().paragraphs],
            "notes": lambda: slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else None,
            "contains": lambda: expected["contains"] if any(expected["contains"] in frame.text for frame in frames) else False,
            "rows": lambda: next([[cell.text for cell in row.cells] for row in shape.table.rows] for shape in slide.shapes if shape.has_table),
            "texts": lambda: {name: named(name).text_frame.text for name in expected["texts"]},
            "places": lambda: {name: place(named(name)) for name in expected["places"]},
            "names": lambda: [shape.name for shape in slide.shapes],
            "hidden": lambda: slide.element.get("show") in ("0", "false"),
            "background": lambda: str(slide.background.fill.fore_color.rgb),
            "column_widths": lambda: next([round(column.width.inches, 2) for column in shape.table.columns] for shape in slide.shapes if shape.has_table),
            "charts": lambda: [chart(shape.chart) for shape in slide.shapes if shape.has_chart],
            "pictures": lambda: sum(shape.shape_type == 13 for shape in slide.shapes),
        }
        if "paragraph" in expected:
            paragraph = body().paragraphs[expected["paragraph"]]
            words |= paragraph_words(paragraph, paragraph) | {
                "paragraph": lambda: expected["paragraph"],
                "runs": lambda: runs(paragraph, expected["runs"]),
            }
        if "title_runs" in expected:
            words["title_runs"] = lambda: runs(slide.shapes.title.text_frame.paragraphs[0], expected["title_runs"])
        return {word: words[word]() for word in expected}

    return find


KINDS = {"xlsx": xlsx, "docx": docx, "pptx": pptx}


def wrong(question):
    name = os.path.basename(question["file"])
    try:
        find = KINDS[question["kind"]](question["file"])
    except Exception as error:
        yield {"file": name, "expected": "a readable file", "found": f"{type(error).__name__}: {error}"}
        return
    for expected in question["expect"]:
        try:
            found = find(expected)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if found != expected:
            # Only what differs, or the one word that was asked for.
            differs = {word: found[word] for word in expected if found[word] != expected[word]} if isinstance(found, dict) else found
            yield {"file": name, "expected": expected, "found": differs if len(expected) > 1 or not isinstance(differs, dict) else next(iter(differs.values()))}


print(json.dumps([complaint for question in json.load(sys.stdin) for complaint in wrong(question)]))
