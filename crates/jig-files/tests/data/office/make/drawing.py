"""SmartArt: the five parts that a drawing made of data consists of."""
from package import OFFICE

D = "http://schemas.openxmlformats.org/drawingml/2006"
DML = "application/vnd.openxmlformats-officedocument.drawingml"


def point(model_id, text="", kind="node"):
    body = f"<dgm:t><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang=\"en-US\"/><a:t>{text}</a:t></a:r></a:p></dgm:t>" if text else ""
    return f'<dgm:pt modelId="{model_id}" type="{kind}"><dgm:prSet/><dgm:spPr/>{body}</dgm:pt>'


def smart_art(package, source, folder):
    """Adds a list of two entries; the drawing refers to it by the ids rIdData, rIdLayout, rIdStyle, rIdColors."""
    names = f'xmlns:dgm="{D}/diagram" xmlns:a="{D}/main" xmlns:r="{OFFICE}"'
    points = point(1, kind="doc") + point(2, "Smart one") + point(3, "Smart two")
    links = "".join(f'<dgm:cxn modelId="{n + 8}" srcId="1" destId="{n}" srcOrd="{n - 2}" destOrd="0"/>' for n in (2, 3))
    parts = {
        "data": ("rIdData", "diagramData", f"<dgm:dataModel {names}><dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst><dgm:bg/><dgm:whole/></dgm:dataModel>"),
        "layout": ("rIdLayout", "diagramLayout", f'<dgm:layoutDef {names} uniqueId="urn:example/list"><dgm:layoutNode name="list"><dgm:alg type="lin"/></dgm:layoutNode></dgm:layoutDef>'),
        "quickStyle": ("rIdStyle", "diagramStyle", f'<dgm:styleDef {names} uniqueId="urn:example/style"><dgm:styleLbl name="node0"><dgm:scene3d><a:camera prst="orthographicFront"/><a:lightRig rig="threePt" dir="t"/></dgm:scene3d></dgm:styleLbl></dgm:styleDef>'),
        "colors": ("rIdColors", "diagramColors", f'<dgm:colorsDef {names} uniqueId="urn:example/colors"/>'),
    }
    relationships = {"diagramStyle": "diagramQuickStyle"}
    for name, (rel_id, kind, xml) in parts.items():
        package.add(f"{folder}/{name}1.xml", xml, f"{DML}.{kind}+xml")
        package.relate(source, f"{OFFICE}/{relationships.get(kind, kind)}", f"{folder}/{name}1.xml", rel_id)
