//! Where a shape is on its slide. Shapes in groups are written in the group's own measure; here
//! everything is turned into the slide's.

use crate::xml::{Node, Ns};

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

fn pair(node: Node<'_>, first: &str, second: &str) -> Option<(f64, f64)> {
    let number = |name: &str| node.attr(name)?.parse::<f64>().ok().filter(|value| value.is_finite());
    Some((number(first)?, number(second)?))
}
