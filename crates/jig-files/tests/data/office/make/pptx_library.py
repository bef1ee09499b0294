"""Presentations as python-pptx writes them."""
import datetime
import io

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Inches, Pt

from package import OUT, Package, png, vba_project

DAY = datetime.datetime(2024, 1, 5)


def new():
    deck = Presentation()
    deck.core_properties.created = deck.core_properties.modified = DAY
    return deck


def save(deck, name):
    deck.save(OUT / name)
    package = Package(OUT / name)
    package.parts["docProps/thumbnail.jpeg"] = b"\xff\xd8\xff\xd9"
    package.save(name)
    return package


def deck():
    """Every layout once; a chart, a table, a picture, groups, notes, text boxes, links."""
    deck = new()
    for layout in deck.slide_layouts:
        slide = deck.slides.add_slide(layout)
        for shape in slide.placeholders:
            if shape.has_text_frame and shape.placeholder_format.type is not None:
                shape.text_frame.text = f"{layout.name}: {shape.name}"
    content = deck.slides.add_slide(deck.slide_layouts[1])
    content.shapes.title.text = "Plan"
    frame = content.placeholders[1].text_frame
    frame.text = "First"
    for level, text in ((1, "Detail"), (2, "More detail"), (0, "Second")):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    run = frame.paragraphs[0].add_run()
    run.text, run.font.bold, run.font.size = " bold", True, Pt(30)
    content.notes_slide.notes_text_frame.text = "Say hello.\nThen go on."
    things = deck.slides.add_slide(deck.slide_layouts[5])
    things.shapes.title.text = "Things"
    data = CategoryChartData()
    data.categories = ["a", "b"]
    data.add_series("s", (1, 2))
    things.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(3), Inches(2), data)
    table = things.shapes.add_table(2, 2, Inches(5), Inches(2), Inches(3), Inches(1)).table
    for row, values in enumerate([["Region", "Sum"], ["North", "12"]]):
        for column, value in enumerate(values):
            table.cell(row, column).text = value
    picture = things.shapes.add_picture(io.BytesIO(png(8, 8)), Inches(1), Inches(5))
    picture._element.nvPicPr.cNvPr.set("descr", "a dot")
    group = things.shapes.add_group_shape()
    group.shapes.add_shape(MSO_SHAPE.OVAL, Inches(5), Inches(4), Inches(1), Inches(1)).text_frame.text = "In a group"
    inner = group.shapes.add_group_shape()
    inner.shapes.add_textbox(Inches(6), Inches(5), Inches(1), Inches(1)).text_frame.text = "In a group in a group"
    box = things.shapes.add_textbox(Inches(7), Inches(5), Inches(2), Inches(1))
    run = box.text_frame.paragraphs[0].add_run()
    run.text, run.hyperlink.address = "a link", "https://example.com/"
    save(deck, "deck.pptx")


def macros():
    deck = new()
    deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "With a macro"
    package = save(deck, "macros.pptm")
    package.replace("[Content_Types].xml", "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
                    "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml")
    package.add("ppt/vbaProject.bin", vba_project(), "application/vnd.ms-office.vbaProject")
    package.relate("ppt/presentation.xml", "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "ppt/vbaProject.bin")
    package.save("macros.pptm")


def make():
    deck()
    macros()
