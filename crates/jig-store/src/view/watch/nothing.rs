//! Systems without usable notifications: every scan is a full one.

use std::io;

use super::super::folder::Folder;
use super::Event;

/// The source of events, which never exists here.
#[derive(Debug)]
pub(super) enum Source {}

impl Source {
    /// Never available.
    pub(super) fn new(_: &Folder) -> Option<Self> {
        None
    }

    pub(super) fn add(&self, _: &Folder) -> io::Result<i32> {
        match *self {}
    }

    pub(super) fn read(&self, _: &mut impl FnMut(Event<'_>)) -> bool {
        match *self {}
    }
}
