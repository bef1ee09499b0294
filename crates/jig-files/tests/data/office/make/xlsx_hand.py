"""Workbooks that no library at hand writes: parts by hand, or a library's workbook with parts put in."""
from package import OFFICE, Package

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R = f'xmlns:r="{OFFICE}"'
MS = "http://schemas.microsoft.com/office"
SML = "application/vnd.openxmlformats-officedocument.spreadsheetml"
BOOK = f"{SML}.sheet.main+xml"


def workbook(sheets, extra="", before="", path="xl", absolute=False):
    """A workbook of these sheets' XML and nothing else: no styles, theme, strings or properties."""
    package = Package.empty(f"{path}/workbook.xml", BOOK)
    entries = ""
    for number, (name, xml) in enumerate(sheets.items(), 1):
        part = f"{path}/worksheets/sheet{number}.xml"
        package.add(part, xml, f"{SML}.worksheet+xml")
        rel = package.relate(f"{path}/workbook.xml", f"{OFFICE}/worksheet", part, absolute=absolute)
        entries += f'<sheet name="{name}" sheetId="{number}" r:id="{rel}"/>'
    package.add(f"{path}/workbook.xml", f'<workbook xmlns="{MAIN}" {R}>{before}<sheets>{entries}</sheets>{extra}</workbook>')
    return package


def sheet(rows, head="", tail="", names=""):
    return f'<worksheet xmlns="{MAIN}" {R} {names}>{head}<sheetData>{rows}</sheetData>{tail}</worksheet>'


def minimal():
    """Inline strings, cells and rows without addresses, a dimension that is not true."""
    rows = (
        '<row><c t="inlineStr"><is><t>Name</t></is></c><c t="inlineStr"><is><t xml:space="preserve"> Value </t></is></c></row>'
        '<row><c t="inlineStr"><is><r><t>two </t></r><r><rPr><b/></rPr><t>runs</t></r></is></c><c><v>1.5</v></c></row>'
        '<row r="9"><c/><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="str"><f>"a"&amp;"b"</f><v>ab</v></c></row>'
    )
    workbook({"Inline": sheet(rows, '<dimension ref="A1:XFD1048576"/>')}).save("inline-strings.xlsx")


def formulas():
    """Shared, array and data-table formulas, a chain of calculation, formulas that spill."""
    rows = (
        '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B4" si="0">A1*2</f><v>2</v></c>'
        '<c r="C1"><f t="array" ref="C1:C3">A1:A3*10</f><v>10</v></c><c r="E1"><v>5</v></c></row>'
        '<row r="2"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/><v>4</v></c><c r="C2"><v>20</v></c>'
        '<c r="D2"><v>1</v></c><c r="E2"><f t="dataTable" ref="E2:E3" dt2D="0" dtr="0" r1="A1"/><v>5</v></c></row>'
        '<row r="3"><c r="A3"><v>3</v></c><c r="B3"><f t="shared" si="0"/><v>6</v></c><c r="C3"><v>30</v></c>'
        '<c r="D3"><v>2</v></c><c r="E3"><v>5</v></c></row>'
        '<row r="4"><c r="A4"><v>4</v></c><c r="B4"><f t="shared" si="0"/><v>8</v></c></row>'
        '<row r="5"><c r="A5"><f>SUM(A1:A4)</f><v>10</v></c><c r="B5"><f>SUM(B1:B4)</f><v>20</v></c>'
        '<c r="C5" t="str"><f>IF(A5&gt;5,"big","small")</f><v>big</v></c><c r="D5" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>'
    )
    other = '<row r="1"><c r="A1"><f>Calc!A5+Total</f><v>30</v></c><c r="B1"><f ca="1">NOW()</f><v>45000.5</v></c></row>'
    package = workbook({"Calc": sheet(rows), "Other": sheet(other)},
                       "<definedNames><definedName name=\"Total\">Calc!$B$5</definedName></definedNames><calcPr calcId=\"191029\"/>")
    cells = "B1 B2 B3 B4 C1 A5 B5 C5 D5".split()
    chain = "".join(f'<c r="{cell}" i="1"/>' for cell in cells) + '<c r="A1" i="2"/><c r="B1" i="2"/>'
    package.add("xl/calcChain.xml", f'<calcChain xmlns="{MAIN}">{chain}</calcChain>', f"{SML}.calcChain+xml")
    package.relate("xl/workbook.xml", f"{OFFICE}/calcChain", "xl/calcChain.xml")
    package.save("formulas.xlsx")


def absolute_targets():
    """Targets from the package's root, a main part elsewhere, a stored entry."""
    package = workbook({"One": sheet('<row r="1"><c r="A1"><v>7</v></c></row>')}, path="content/book", absolute=True)
    package.replace("_rels/.rels", 'Target="content', 'Target="/content')
    package.save("absolute-targets.xlsx", stored={"content/book/workbook.xml"})


def prefixed():
    """Every element behind a prefix, as Microsoft's own SDK writes it."""
    rows = '<x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c><x:c r="B1" s="1"><x:v>45296</x:v></x:c></x:row>'
    package = workbook({"Sheet": ""})
    package.add("xl/worksheets/sheet1.xml", f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData>{rows}</x:sheetData></x:worksheet>')
    text = package.text("xl/workbook.xml").replace("<", "<x:").replace("<x:/", "</x:").replace("<x:?", "<?")
    package.parts["xl/workbook.xml"] = text.replace("xmlns=", "xmlns:x=").encode()
    package.add("xl/sharedStrings.xml", f'<x:sst xmlns:x="{MAIN}" count="1" uniqueCount="1"><x:si><x:t>Prefixed</x:t></x:si></x:sst>',
                f"{SML}.sharedStrings+xml")
    package.add("xl/styles.xml", f'<x:styleSheet xmlns:x="{MAIN}"><x:fonts count="1"><x:font/></x:fonts><x:fills count="1"><x:fill><x:patternFill patternType="none"/></x:fill></x:fills>'
                '<x:borders count="1"><x:border/></x:borders><x:cellStyleXfs count="1"><x:xf/></x:cellStyleXfs>'
                '<x:cellXfs count="2"><x:xf/><x:xf numFmtId="14" applyNumberFormat="1"/></x:cellXfs></x:styleSheet>', f"{SML}.styles+xml")
    for kind in ("sharedStrings", "styles"):
        package.relate("xl/workbook.xml", f"{OFFICE}/{kind}", f"xl/{kind}.xml")
    package.save("prefixed.xlsx")


def google():
    """The habits of Google's export: sizes after the data, an empty drawing per sheet, styled empty rows, no properties."""
    rows = '<row r="1"><c r="A1" s="1" t="s"><v>0</v></c><c r="B1" s="1" t="s"><v>1</v></c></row>'
    rows += '<row r="2"><c r="A2" s="1" t="s"><v>2</v></c><c r="B2" s="2"><v>12.5</v></c></row>'
    rows += '<row r="3"><c r="B3" s="2"><f>SUM(B2)</f><v>12.5</v></c></row>'
    rows += "".join(f'<row r="{row}" ht="15.75" customHeight="1"><c r="A{row}" s="1"/></row>' for row in range(4, 1001))
    head = ('<sheetPr><outlinePr summaryBelow="0" summaryRight="0"/></sheetPr><sheetViews><sheetView workbookViewId="0">'
            '<pane ySplit="1.0" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
            '<sheetFormatPr customHeight="1" defaultColWidth="12.63" defaultRowHeight="15.75"/>')
    package = workbook({"Tabellenblatt1": sheet(rows, head, '<drawing r:id="rId1"/>')}, "<definedNames/><calcPr/>", "<workbookPr/>")
    package.add("xl/drawings/drawing1.xml", '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"/>',
                "application/vnd.openxmlformats-officedocument.drawing+xml")
    package.relate("xl/worksheets/sheet1.xml", f"{OFFICE}/drawing", "xl/drawings/drawing1.xml", "rId1")
    strings = "".join(f"<si><t>{text}</t></si>" for text in ("Posten", "Betrag", "Miete &amp; Strom"))
    package.add("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}" count="3" uniqueCount="3">{strings}</sst>', f"{SML}.sharedStrings+xml")
    package.add("xl/styles.xml", f'<styleSheet xmlns="{MAIN}"><fonts count="2"><font><sz val="10.0"/><color rgb="FF000000"/><name val="Arial"/>'
                '<scheme val="minor"/></font><font><color theme="1"/><name val="Arial"/><scheme val="minor"/></font></fonts>'
                '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="lightGray"/></fill></fills>'
                '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf borderId="0" fillId="0" fontId="0" numFmtId="0" applyAlignment="1" applyFont="1"/></cellStyleXfs>'
                '<cellXfs count="3"><xf borderId="0" fillId="0" fontId="0" numFmtId="0" xfId="0" applyAlignment="1" applyFont="1"><alignment readingOrder="0" shrinkToFit="0" vertical="bottom" wrapText="0"/></xf>'
                '<xf borderId="0" fillId="0" fontId="1" numFmtId="0" xfId="0" applyAlignment="1" applyFont="1"><alignment readingOrder="0"/></xf>'
                '<xf borderId="0" fillId="0" fontId="1" numFmtId="4" xfId="0" applyFont="1" applyNumberFormat="1"/></cellXfs>'
                '<cellStyles count="1"><cellStyle xfId="0" name="Normal" builtinId="0"/></cellStyles><dxfs count="0"/></styleSheet>', f"{SML}.styles+xml")
    for kind in ("sharedStrings", "styles"):
        package.relate("xl/workbook.xml", f"{OFFICE}/{kind}", f"xl/{kind}.xml")
    package.save_streamed("google-like.xlsx")


def pivot_slicer():
    """A pivot table with its cache, and a slicer on it."""
    strings = lambda values: "".join(f'<c r="{cell}" t="inlineStr"><is><t>{value}</t></is></c>' for cell, value in values)
    data = f'<row r="1">{strings([("A1", "Region"), ("B1", "Amount")])}</row>'
    for row, (region, amount) in enumerate([("North", 120), ("South", 80), ("North", 45)], 2):
        data += f'<row r="{row}">{strings([(f"A{row}", region)])}<c r="B{row}"><v>{amount}</v></c></row>'
    pivot = f'<row r="3">{strings([("A3", "Row Labels"), ("B3", "Sum of Amount")])}</row>'
    for row, (label, total) in enumerate([("North", 165), ("South", 80), ("Grand Total", 245)], 4):
        pivot += f'<row r="{row}">{strings([(f"A{row}", label)])}<c r="B{row}"><v>{total}</v></c></row>'
    x14 = f"{MS}/spreadsheetml/2009/9/main"
    tail = ('<drawing r:id="rId2"/><extLst><ext uri="{A8765BA9-456A-4dab-B4F3-ACF838C121DE}" ' + f'xmlns:x14="{x14}">'
            '<x14:slicerList><x14:slicer r:id="rId3"/></x14:slicerList></ext></extLst>')
    extra = ('<definedNames><definedName name="Slicer_Region">#N/A</definedName></definedNames>'
             '<pivotCaches><pivotCache cacheId="1" r:id="rIdCache"/></pivotCaches>'
             '<extLst><ext uri="{BBE1A952-AA13-448e-AADC-164F8A28A991}" ' + f'xmlns:x14="{x14}">'
             '<x14:slicerCaches><x14:slicerCache r:id="rIdSlicer"/></x14:slicerCaches></ext></extLst>')
    package = workbook({"Data": sheet(data), "Pivot": sheet(pivot, tail=tail)}, extra)
    package.add("xl/pivotCache/pivotCacheDefinition1.xml",
                f'<pivotCacheDefinition xmlns="{MAIN}" {R} r:id="rId1" refreshedBy="Ann" refreshedDate="45296" createdVersion="6" refreshedVersion="6" minRefreshableVersion="3" recordCount="3">'
                '<cacheSource type="worksheet"><worksheetSource ref="A1:B4" sheet="Data"/></cacheSource><cacheFields count="2">'
                '<cacheField name="Region" numFmtId="0"><sharedItems count="2"><s v="North"/><s v="South"/></sharedItems></cacheField>'
                '<cacheField name="Amount" numFmtId="0"><sharedItems containsSemiMixedTypes="0" containsString="0" containsNumber="1" containsInteger="1" minValue="45" maxValue="120"/></cacheField>'
                '</cacheFields></pivotCacheDefinition>', f"{SML}.pivotCacheDefinition+xml")
    package.add("xl/pivotCache/pivotCacheRecords1.xml",
                f'<pivotCacheRecords xmlns="{MAIN}" count="3"><r><x v="0"/><n v="120"/></r><r><x v="1"/><n v="80"/></r><r><x v="0"/><n v="45"/></r></pivotCacheRecords>',
                f"{SML}.pivotCacheRecords+xml")
    package.add("xl/pivotTables/pivotTable1.xml",
                f'<pivotTableDefinition xmlns="{MAIN}" name="PivotTable1" cacheId="1" applyNumberFormats="0" applyBorderFormats="0" applyFontFormats="0" applyPatternFormats="0" applyAlignmentFormats="0" applyWidthHeightFormats="1" dataCaption="Values" updatedVersion="6" minRefreshableVersion="3" createdVersion="6" outline="1" outlineData="1">'
                '<location ref="A3:B6" firstHeaderRow="1" firstDataRow="1" firstDataCol="1"/><pivotFields count="2"><pivotField axis="axisRow" showAll="0"><items count="3"><item x="0"/><item x="1"/><item t="default"/></items></pivotField><pivotField dataField="1" showAll="0"/></pivotFields>'
                '<rowFields count="1"><field x="0"/></rowFields><rowItems count="3"><i><x/></i><i><x v="1"/></i><i t="grand"><x/></i></rowItems><colItems count="1"><i/></colItems>'
                '<dataFields count="1"><dataField name="Sum of Amount" fld="1" baseField="0" baseItem="0"/></dataFields></pivotTableDefinition>', f"{SML}.pivotTable+xml")
    package.add("xl/slicerCaches/slicerCache1.xml",
                f'<slicerCacheDefinition xmlns="{x14}" name="Slicer_Region" sourceName="Region"><pivotTables><pivotTable tabId="2" name="PivotTable1"/></pivotTables>'
                '<data><tabular pivotCacheId="1"><items count="2"><i x="0" s="1"/><i x="1" s="1"/></items></tabular></data></slicerCacheDefinition>',
                "application/vnd.ms-excel.slicerCache+xml")
    package.add("xl/slicers/slicer1.xml", f'<slicers xmlns="{x14}"><slicer name="Region" cache="Slicer_Region" caption="Region" rowHeight="241300"/></slicers>',
                "application/vnd.ms-excel.slicer+xml")
    package.add("xl/drawings/drawing1.xml", slicer_drawing(), "application/vnd.openxmlformats-officedocument.drawing+xml")
    for source, kind, target, rel in [
        ("xl/workbook.xml", f"{OFFICE}/pivotCacheDefinition", "xl/pivotCache/pivotCacheDefinition1.xml", "rIdCache"),
        ("xl/workbook.xml", f"{MS}/2007/relationships/slicerCache", "xl/slicerCaches/slicerCache1.xml", "rIdSlicer"),
        ("xl/pivotCache/pivotCacheDefinition1.xml", f"{OFFICE}/pivotCacheRecords", "xl/pivotCache/pivotCacheRecords1.xml", "rId1"),
        ("xl/pivotTables/pivotTable1.xml", f"{OFFICE}/pivotCacheDefinition", "xl/pivotCache/pivotCacheDefinition1.xml", "rId1"),
        ("xl/worksheets/sheet2.xml", f"{OFFICE}/pivotTable", "xl/pivotTables/pivotTable1.xml", "rId1"),
        ("xl/worksheets/sheet2.xml", f"{OFFICE}/drawing", "xl/drawings/drawing1.xml", "rId2"),
        ("xl/worksheets/sheet2.xml", f"{MS}/2007/relationships/slicer", "xl/slicers/slicer1.xml", "rId3"),
    ]:
        package.relate(source, kind, target, rel)
    package.save("pivot-slicer.xlsx")


def slicer_drawing():
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    anchor = lambda name, col, row: f"<xdr:{name}><xdr:col>{col}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{row}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:{name}>"
    return (f'<xdr:wsDr xmlns:xdr="{drawing}/spreadsheetDrawing" xmlns:a="{drawing}/main"><xdr:twoCellAnchor>{anchor("from", 4, 2)}{anchor("to", 6, 9)}'
            '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"><mc:Choice Requires="a14">'
            '<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="Region"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm>'
            '<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/drawing/2010/slicer"><sle:slicer xmlns:sle="http://schemas.microsoft.com/office/drawing/2010/slicer" name="Region"/></a:graphicData></a:graphic></xdr:graphicFrame>'
            '</mc:Choice><mc:Fallback><xdr:sp macro="" textlink=""><xdr:nvSpPr><xdr:cNvPr id="0" name=""/><xdr:cNvSpPr/></xdr:nvSpPr><xdr:spPr><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:sp></mc:Fallback></mc:AlternateContent><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>')


def threaded():
    """A conversation on a cell: persons, threaded comments, and the old comment that stands in for them."""
    package = workbook({"Talk": sheet('<row r="1"><c r="A1"><v>1</v></c></row>', tail='<legacyDrawing r:id="rId1"/>')})
    tc = f"{MS}/spreadsheetml/2018/threadedcomments"
    first, second, person = "{00000000-0001-0000-0000-000000000001}", "{00000000-0001-0000-0000-000000000002}", "{00000000-0002-0000-0000-000000000001}"
    package.add("xl/persons/person.xml", f'<personList xmlns="{tc}"><person displayName="Ann" id="{person}" userId="ann" providerId="None"/></personList>',
                "application/vnd.ms-excel.person+xml")
    package.add("xl/threadedComments/threadedComment1.xml",
                f'<ThreadedComments xmlns="{tc}"><threadedComment ref="A1" dT="2024-01-05T10:00:00.00" personId="{person}" id="{first}"><text>Is this right?</text></threadedComment>'
                f'<threadedComment ref="A1" dT="2024-01-05T11:00:00.00" personId="{person}" id="{second}" parentId="{first}"><text>Yes.</text></threadedComment></ThreadedComments>',
                "application/vnd.ms-excel.threadedcomments+xml")
    package.add("xl/comments1.xml",
                f'<comments xmlns="{MAIN}"><authors><author>tc={first}</author></authors><commentList><comment ref="A1" authorId="0" shapeId="0">'
                '<text><t>[Threaded comment]\n\nIs this right?\nReply:\n    Yes.</t></text></comment></commentList></comments>', f"{SML}.comments+xml")
    package.default("vml", "application/vnd.openxmlformats-officedocument.vmlDrawing")
    package.parts["xl/drawings/vmlDrawing1.vml"] = (
        b'<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">\r\n'
        b'<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"></v:shapetype>\r\n'
        b'<v:shape id="_x0000_s1025" type="#_x0000_t202" style="position:absolute;visibility:hidden"><x:ClientData ObjectType="Note"><x:Row>0</x:Row><x:Column>0</x:Column></x:ClientData></v:shape></xml>')
    one = "xl/worksheets/sheet1.xml"
    package.relate(one, f"{OFFICE}/vmlDrawing", "xl/drawings/vmlDrawing1.vml", "rId1")
    package.relate(one, f"{OFFICE}/comments", "xl/comments1.xml")
    package.relate(one, f"{MS}/2017/10/relationships/threadedComment", "xl/threadedComments/threadedComment1.xml")
    package.relate("xl/workbook.xml", f"{MS}/2017/10/relationships/person", "xl/persons/person.xml")
    package.save("threaded-comments.xlsx")


def outside():
    """What reaches out or signs: an external link, a connection, custom XML, a (hollow) signature, a part in UTF-16."""
    rows = '<row r="1"><c r="A1"><f>[1]Sheet1!A1</f><v>3</v></c><c r="B1" t="str"><f>"ü"</f><v>ü</v></c></row>'
    package = workbook({"Links": sheet(rows)}, '<externalReferences><externalReference r:id="rIdExt"/></externalReferences>')
    package.parts["xl/worksheets/sheet1.xml"] = ('<?xml version="1.0" encoding="UTF-16"?>' + sheet(rows)).encode("utf-16")
    package.add("xl/externalLinks/externalLink1.xml",
                f'<externalLink xmlns="{MAIN}"><externalBook {R} r:id="rId1"><sheetNames><sheetName val="Sheet1"/></sheetNames></externalBook></externalLink>', f"{SML}.externalLink+xml")
    package.relate("xl/workbook.xml", f"{OFFICE}/externalLink", "xl/externalLinks/externalLink1.xml", "rIdExt")
    package.relate("xl/externalLinks/externalLink1.xml", f"{OFFICE}/externalLinkPath", "file:///other.xlsx", "rId1", mode="External")
    package.add("xl/connections.xml", f'<connections xmlns="{MAIN}"><connection id="1" name="Query" type="5" refreshedVersion="6"><dbPr connection="Provider=None" command="x"/></connection></connections>',
                f"{SML}.connections+xml")
    package.relate("xl/workbook.xml", f"{OFFICE}/connections", "xl/connections.xml")
    package.add("customXml/item1.xml", '<data xmlns="urn:example"><x/></data>')
    package.relate("xl/workbook.xml", f"{OFFICE}/customXml", "customXml/item1.xml")
    signature = "application/vnd.openxmlformats-package.digital-signature"
    package.default("sigs", f"{signature}-origin")
    package.parts["_xmlsignatures/origin.sigs"] = b""
    package.add("_xmlsignatures/sig1.xml", '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/>', f"{signature}-xmlsignature+xml")
    digital = "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature"
    package.relate("", f"{digital}/origin", "_xmlsignatures/origin.sigs")
    package.relate("_xmlsignatures/origin.sigs", f"{digital}/signature", "_xmlsignatures/sig1.xml")
    package.save("outside.xlsx")


def make():
    minimal()
    formulas()
    absolute_targets()
    prefixed()
    google()
    pivot_slicer()
    threaded()
    outside()
