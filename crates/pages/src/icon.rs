//! The icons of the pages, in assets/icons.svg.

use maud::{Markup, Render, html};

use crate::assets::ICONS;

/// An icon. Screen readers skip it, so a text must stand beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what the icons stand for")]
pub enum Icon {
    Search,
    Star,
    Plus,
    Check,
    Next,
    Undo,
    Edit,
    Delete,
    Calendar,
    List,
    Person,
    External,
    Download,
    Upload,
    Chart,
    Lock,
    Shuffle,
    Clock,
    Filter,
    Close,
    Image,
    Music,
    Film,
    Shield,
    Code,
}

impl Icon {
    /// All icons with their identifiers in the file.
    pub const ALL: [(Self, &'static str); 25] = [
        (Self::Search, "search"),
        (Self::Star, "star"),
        (Self::Plus, "plus"),
        (Self::Check, "check"),
        (Self::Next, "next"),
        (Self::Undo, "undo"),
        (Self::Edit, "edit"),
        (Self::Delete, "delete"),
        (Self::Calendar, "calendar"),
        (Self::List, "list"),
        (Self::Person, "person"),
        (Self::External, "external"),
        (Self::Download, "download"),
        (Self::Upload, "upload"),
        (Self::Chart, "chart"),
        (Self::Lock, "lock"),
        (Self::Shuffle, "shuffle"),
        (Self::Clock, "clock"),
        (Self::Filter, "filter"),
        (Self::Close, "close"),
        (Self::Image, "image"),
        (Self::Music, "music"),
        (Self::Film, "film"),
        (Self::Shield, "shield"),
        (Self::Code, "code"),
    ];
}

impl Render for Icon {
    fn render(&self) -> Markup {
        // `ALL` has the icons in the order of the enumeration. A test checks that.
        let (_, id) = Self::ALL[*self as usize];
        html! {
            svg.icon aria-hidden="true" { use href={ (ICONS.address()) "#" (id) } {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Icon;
    use crate::assets::ICONS;

    #[test]
    fn the_file_has_all_icons() {
        let file = str::from_utf8(ICONS.content).unwrap();
        for (position, (icon, id)) in Icon::ALL.into_iter().enumerate() {
            assert_eq!(icon as usize, position);
            assert!(file.contains(&format!("<symbol id=\"{id}\"")), "{id}");
        }
        assert_eq!(file.matches("<symbol ").count(), Icon::ALL.len());
    }
}
