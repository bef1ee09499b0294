//! The shapes of a slide, groups opened, with their place on the slide.

use std::borrow::Cow;

use super::text::chosen;
use crate::error::{PackageError, Quantity};
use crate::xml::{Node, Ns};

/// A shape of a slide.
#[derive(Debug, Clone)]
pub(super) struct Shape<'t> {
    /// The element: `p:sp`, `p:pic`, `p:graphicFrame`, `p:grpSp`, `p:cxnSp` or `p:contentPart`.
    pub(super) node: Node<'t>,
    /// Its position on the slide, then within its group, and so on.
    pub(super) address: Vec<usize>,
    pub(super) kind: ShapeKind,
    /// Where it is on the slide; none when neither it nor its layout gives it.
    pub(super) frame: Option<Frame>,
    /// What is in a group.
    pub(super) children: Vec<Shape<'t>>,
}

/// What a shape is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShapeKind {
    AutoShape,
    TextBox,
    Placeholder,
    Picture,
    Media,
    Group,
    Table,
    Chart,
    SmartArt,
    OleObject,
    Connector,
    Other,
}

impl ShapeKind {
    /// Its name in results.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::AutoShape => "auto_shape",
            Self::TextBox => "text_box",
            Self::Placeholder => "placeholder",
            Self::Picture => "picture",
            Self::Media => "media",
            Self::Group => "group",
            Self::Table => "table",
            Self::Chart => "chart",
            Self::SmartArt => "smart_art",
            Self::OleObject => "ole_object",
            Self::Connector => "connector",
            Self::Other => "other",
        }
    }
}

/// What a placeholder says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placeholder {
    /// `title`, `body`, `pic` and so on; `obj` when it does not say.
    pub(super) kind: String,
    /// Its number in the layout.
    pub(super) index: u32,
}

impl Placeholder {
    /// Whether it holds the slide's title.
    pub(super) fn is_title(&self) -> bool {
        matches!(self.kind.as_str(), "title" | "ctrTitle")
    }

    /// Whether it holds date, footer, header or number of the slide.
    pub(super) fn is_furniture(&self) -> bool {
        matches!(self.kind.as_str(), "dt" | "ftr" | "hdr" | "sldNum")
    }

    /// Whether it can hold the text of the slide.
    pub(super) fn is_body(&self) -> bool {
        matches!(self.kind.as_str(), "body" | "obj" | "subTitle")
    }

    /// The kind of placeholder that it inherits from in the master.
    fn family(&self) -> &str {
        match self.kind.as_str() {
            "title" | "ctrTitle" => "title",
            "dt" | "ftr" | "hdr" | "sldNum" | "sldImg" => &self.kind,
            _ => "body",
        }
    }
}

/// The placeholders of a layout or master. One slide inherits from several such pages, the nearest first.
#[derive(Debug, Clone)]
pub(super) struct Holders<'t>(Vec<(Node<'t>, Placeholder)>);

/// More placeholders than any layout has.
const MAX_HOLDERS: usize = 500;

impl<'t> Holders<'t> {
    /// Those of a page.
    pub(super) fn of(page: Node<'t>) -> Self {
        let tree = page.path(Ns::P, &["cSld", "spTree"]);
        let shapes = tree.into_iter().flat_map(Node::elements).filter_map(element);
        Self(shapes.filter_map(|node| Some((node, placeholder(node)?))).take(MAX_HOLDERS).collect())
    }

    /// The one that a placeholder inherits from: by number, or else by kind.
    fn matching(&self, wanted: &Placeholder) -> Option<&(Node<'t>, Placeholder)> {
        let same = |test: &dyn Fn(&Placeholder) -> bool| self.0.iter().find(|(_, found)| test(found));
        let is_same_kind = |found: &Placeholder| found.kind == wanted.kind;
        let is_same_family = |found: &Placeholder| found.family() == wanted.family();
        same(&|found| found.index == wanted.index && is_same_family(found) && (wanted.index > 0 || is_same_kind(found)))
            .or_else(|| same(&is_same_kind))
            .or_else(|| same(&is_same_family))
    }
}

/// More shapes than any slide that a person could look at has.
const MAX_SHAPES: usize = 50_000;

/// The shapes of a slide, layout, master or notes page. `after` are the pages it inherits from.
pub(super) fn shapes<'t>(root: Node<'t>, behind: &[Holders<'_>]) -> Result<Vec<Shape<'t>>, PackageError> {
    let Some(tree) = root.path(Ns::P, &["cSld", "spTree"]) else { return Ok(Vec::new()) };
    if tree.descendants().filter(|node| node.is_element() && is_shape(node.local())).nth(MAX_SHAPES).is_some() {
        return Err(PackageError::TooLarge { what: Quantity::Shapes, limit: MAX_SHAPES as u64 });
    }
    Ok(inside(tree, &[], &[], behind))
}

fn is_shape(local: &str) -> bool {
    matches!(local, "sp" | "pic" | "graphicFrame" | "grpSp" | "cxnSp" | "contentPart")
}

fn inside<'t>(group: Node<'t>, address: &[usize], spaces: &[GroupSpace], behind: &[Holders<'_>]) -> Vec<Shape<'t>> {
    group
        .elements()
        .filter_map(element)
        .enumerate()
        .map(|(at, node)| {
            let mut address = address.to_vec();
            address.push(at);
            shape(node, address, spaces, behind)
        })
        .collect()
}

fn shape<'t>(node: Node<'t>, address: Vec<usize>, spaces: &[GroupSpace], behind: &[Holders<'_>]) -> Shape<'t> {
    let own = transform(node).and_then(Frame::read);
    let own = own.or_else(|| inherited(placeholder(node)?, behind));
    let frame = own.map(|own| spaces.iter().rev().fold(own, |frame, space| space.outward(frame)));
    let mut children = Vec::new();
    if node.local() == "grpSp" {
        let mut spaces = spaces.to_vec();
        spaces.extend(transform(node).and_then(GroupSpace::read));
        children = inside(node, &address, &spaces, behind);
    }
    Shape { kind: kind(node), node, address, frame, children }
}

/// The shape of an element of a shape tree.
fn element(node: Node<'_>) -> Option<Node<'_>> {
    match (node.ns(), node.local()) {
        (Ns::P, local) if is_shape(local) => Some(node),
        // Ink and newer shapes come with an image of themselves as the fallback.
        (Ns::Mc, "AlternateContent") => {
            let branches = [chosen(node), node.child(Ns::Mc, "Fallback")];
            branches.into_iter().flatten().find_map(|branch| branch.elements().find_map(element))
        }
        (_, "contentPart") => Some(node),
        _ => None,
    }
}

pub(super) fn transform(node: Node<'_>) -> Option<Node<'_>> {
    match node.local() {
        "grpSp" => node.child(Ns::P, "grpSpPr")?.child(Ns::A, "xfrm"),
        "graphicFrame" => node.child(Ns::P, "xfrm"),
        "contentPart" => node.elements().find(|inner| inner.local() == "xfrm"),
        _ => node.child(Ns::P, "spPr")?.child(Ns::A, "xfrm"),
    }
}

fn kind(node: Node<'_>) -> ShapeKind {
    match node.local() {
        "grpSp" => ShapeKind::Group,
        "cxnSp" => ShapeKind::Connector,
        "pic" if is_media(node) => ShapeKind::Media,
        "pic" => ShapeKind::Picture,
        "graphicFrame" => graphic(node),
        "sp" if placeholder(node).is_some() => ShapeKind::Placeholder,
        "sp" if is_text_box(node) => ShapeKind::TextBox,
        "sp" => ShapeKind::AutoShape,
        _ => ShapeKind::Other,
    }
}

fn graphic(node: Node<'_>) -> ShapeKind {
    let Some(data) = graphic_data(node) else { return ShapeKind::Other };
    let uri = data.attr("uri").unwrap_or_default();
    match uri.rsplit('/').next().unwrap_or_default() {
        "table" => ShapeKind::Table,
        "chart" | "chartex" => ShapeKind::Chart,
        "diagram" => ShapeKind::SmartArt,
        "ole" => ShapeKind::OleObject,
        _ => ShapeKind::Other,
    }
}

fn is_media(node: Node<'_>) -> bool {
    let Some(properties) = non_visual(node).and_then(|around| around.child(Ns::P, "nvPr")) else { return false };
    properties.elements().any(|inner| {
        inner.ns() == Ns::A
            && matches!(inner.local(), "videoFile" | "audioFile" | "audioCd" | "wavAudioFile" | "quickTimeFile")
    })
}

fn is_text_box(node: Node<'_>) -> bool {
    let properties = non_visual(node).and_then(|around| around.child(Ns::P, "cNvSpPr"));
    properties.and_then(|node| node.attr("txBox")).is_some_and(|flag| matches!(&*flag, "1" | "true"))
}

/// The element with a shape's name and number, such as `p:nvSpPr`.
pub(super) fn non_visual(node: Node<'_>) -> Option<Node<'_>> {
    node.elements().find(|inner| inner.local().starts_with("nv") && inner.local().ends_with("Pr"))
}

/// The element `p:cNvPr`.
pub(super) fn identity(node: Node<'_>) -> Option<Node<'_>> {
    non_visual(node)?.elements().find(|inner| inner.local() == "cNvPr")
}

/// What the data of a graphic frame is in.
pub(super) fn graphic_data(node: Node<'_>) -> Option<Node<'_>> {
    node.path(Ns::A, &["graphic", "graphicData"])
}

/// The element `p:ph` of a placeholder.
pub(super) fn placeholder_node(node: Node<'_>) -> Option<Node<'_>> {
    non_visual(node)?.child(Ns::P, "nvPr")?.child(Ns::P, "ph")
}

/// What a shape says of itself as a placeholder.
pub(super) fn placeholder(node: Node<'_>) -> Option<Placeholder> {
    let found = placeholder_node(node)?;
    let kind = found.attr("type").map_or_else(|| "obj".to_owned(), Cow::into_owned);
    let index = found.attr("idx").and_then(|index| index.parse().ok()).unwrap_or(0);
    Some(Placeholder { kind, index })
}

/// The frame of the nearest placeholder after this one that has one.
fn inherited(wanted: Placeholder, behind: &[Holders<'_>]) -> Option<Frame> {
    let mut wanted = wanted;
    for page in behind {
        let Some((node, found)) = page.matching(&wanted) else { continue };
        if let Some(frame) = transform(*node).and_then(Frame::read) {
            return Some(frame);
        }
        wanted = found.clone();
    }
    None
}

impl<'t> Shape<'t> {
    /// Its name.
    pub(super) fn name(&self) -> String {
        identity(self.node).and_then(|node| node.attr("name")).map(Cow::into_owned).unwrap_or_default()
    }

    /// Its number on the slide, by which animations and connectors name it.
    pub(super) fn id(&self) -> Option<u32> {
        identity(self.node)?.attr("id")?.parse().ok()
    }

    /// The elements that show this shape: itself, and in alternate content those of the other branches.
    pub(super) fn twins(&self) -> Vec<Node<'t>> {
        let alternate = self.node.ancestors().filter(|node| node.is(Ns::Mc, "AlternateContent")).last();
        let Some(alternate) = alternate else { return vec![self.node] };
        let id = identity(self.node).and_then(|node| node.attr("id"));
        let same = |node: &Node<'t>| {
            *node == self.node || (id.is_some() && identity(*node).and_then(|node| node.attr("id")) == id)
        };
        alternate.descendants().filter(|node| node.is_element() && is_shape(node.local())).filter(same).collect()
    }

    /// What it says of itself as a placeholder.
    pub(super) fn placeholder(&self) -> Option<Placeholder> {
        placeholder(self.node)
    }

    /// Its own text, tables left aside.
    pub(super) fn body(&self) -> Option<Node<'t>> {
        self.node.child(Ns::P, "txBody")
    }

    /// Its table.
    pub(super) fn table(&self) -> Option<Node<'t>> {
        graphic_data(self.node)?.child(Ns::A, "tbl")
    }

    /// The relationship of the image that it is, or that it is filled with.
    pub(super) fn picture(&self) -> Option<Cow<'t, str>> {
        let fill = match self.node.local() {
            "pic" => self.node.child(Ns::P, "blipFill"),
            "sp" => self.node.child(Ns::P, "spPr").and_then(|properties| properties.child(Ns::A, "blipFill")),
            _ => None,
        };
        let blip = fill?.child(Ns::A, "blip")?;
        blip.attr_ns(Ns::R, "embed").or_else(|| blip.attr_ns(Ns::R, "link"))
    }

    /// The address as one word: `3`, or `3.1` for the second shape of the group 3.
    pub(super) fn address(&self) -> String {
        self.address.iter().map(usize::to_string).collect::<Vec<_>>().join(".")
    }
}

/// All shapes, those in groups after their group.
pub(super) fn flat<'s, 't>(shapes: &'s [Shape<'t>]) -> Vec<&'s Shape<'t>> {
    let mut all = Vec::new();
    for shape in shapes {
        all.push(shape);
        all.extend(flat(&shape.children));
    }
    all
}

/// A place on a slide in EMU, before its rotation (degrees, clockwise, around its centre).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) rotation: f64,
}

impl Frame {
    /// Reads a transform, when it has place and size.
    pub(super) fn read(transform: Node<'_>) -> Option<Self> {
        let (x, y) = pair(transform.child(Ns::A, "off")?, "x", "y")?;
        let (width, height) = pair(transform.child(Ns::A, "ext")?, "cx", "cy")?;
        Some(Self { x, y, width, height, rotation: rotation(transform) })
    }

    fn centre(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

/// The turn of a transform in degrees.
pub(super) fn rotation(transform: Node<'_>) -> f64 {
    transform.attr("rot").and_then(|rot| rot.parse::<f64>().ok()).filter(|rot| rot.is_finite()).unwrap_or(0.0)
        / 60_000.0
}

/// How a group places what is in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GroupSpace {
    outer: Frame,
    inner: Frame,
    flip_x: bool,
    flip_y: bool,
}

impl GroupSpace {
    /// Reads the transform of a group. None when it has no space of its own.
    pub(super) fn read(transform: Node<'_>) -> Option<Self> {
        let outer = Frame::read(transform)?;
        let (x, y) = pair(transform.child(Ns::A, "chOff")?, "x", "y")?;
        let (width, height) = pair(transform.child(Ns::A, "chExt")?, "cx", "cy")?;
        let flag = |name| transform.attr(name).is_some_and(|value| matches!(&*value, "1" | "true"));
        let inner = Frame { x, y, width, height, rotation: 0.0 };
        Some(Self { outer, inner, flip_x: flag("flipH"), flip_y: flag("flipV") })
    }

    /// A frame of the group's measure in the measure around the group.
    pub(super) fn outward(&self, frame: Frame) -> Frame {
        let scale = |outer: f64, inner: f64| if inner == 0.0 { 1.0 } else { outer / inner };
        let (sx, sy) = (scale(self.outer.width, self.inner.width), scale(self.outer.height, self.inner.height));
        let (width, height) = (frame.width * sx, frame.height * sy);
        let (cx, cy) = frame.centre();
        let (mut cx, mut cy) = (self.outer.x + (cx - self.inner.x) * sx, self.outer.y + (cy - self.inner.y) * sy);
        let (gx, gy) = self.outer.centre();
        if self.flip_x {
            cx = 2.0 * gx - cx;
        }
        if self.flip_y {
            cy = 2.0 * gy - cy;
        }
        let (sin, cos) = self.outer.rotation.to_radians().sin_cos();
        let (dx, dy) = (cx - gx, cy - gy);
        let (cx, cy) = (gx + dx * cos - dy * sin, gy + dx * sin + dy * cos);
        let rotation = (frame.rotation + self.outer.rotation).rem_euclid(360.0);
        Frame { x: cx - width / 2.0, y: cy - height / 2.0, width, height, rotation }
    }
}

impl GroupSpace {
    /// The spaces of the groups around a node, the outermost first.
    pub(super) fn around(node: Node<'_>) -> Vec<Self> {
        let groups = node.ancestors().filter(|node| node.is(Ns::P, "grpSp"));
        let mut spaces: Vec<Self> = groups.filter_map(|group| Self::read(transform(group)?)).collect();
        spaces.reverse();
        spaces
    }

    /// A frame of the measure around the group in the group's measure: the inverse of [`outward`](Self::outward).
    pub(super) fn inward(&self, frame: Frame) -> Frame {
        let scale = |outer: f64, inner: f64| if inner == 0.0 || outer == 0.0 { 1.0 } else { outer / inner };
        let (sx, sy) = (scale(self.outer.width, self.inner.width), scale(self.outer.height, self.inner.height));
        let (width, height) = (frame.width / sx, frame.height / sy);
        let (gx, gy) = self.outer.centre();
        let (cx, cy) = frame.centre();
        let (sin, cos) = self.outer.rotation.to_radians().sin_cos();
        let (dx, dy) = (cx - gx, cy - gy);
        let (mut cx, mut cy) = (gx + dx * cos + dy * sin, gy - dx * sin + dy * cos);
        if self.flip_x {
            cx = 2.0 * gx - cx;
        }
        if self.flip_y {
            cy = 2.0 * gy - cy;
        }
        let (cx, cy) = (self.inner.x + (cx - self.outer.x) / sx, self.inner.y + (cy - self.outer.y) / sy);
        let rotation = (frame.rotation - self.outer.rotation).rem_euclid(360.0);
        Frame { x: cx - width / 2.0, y: cy - height / 2.0, width, height, rotation }
    }
}

fn pair(node: Node<'_>, first: &str, second: &str) -> Option<(f64, f64)> {
    let number = |name: &str| node.attr(name)?.parse::<f64>().ok().filter(|value| value.is_finite());
    Some((number(first)?, number(second)?))
}
