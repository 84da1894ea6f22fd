//! The icons of the pages, in assets/icons.svg.

use maud::{Markup, Render, html};
use shared::value_names;

use crate::assets::ICONS;

value_names! {
    /// An icon, with its identifier in the file. Screen readers skip it, so a text must stand beside it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the names say what the icons stand for")]
    pub enum Icon {
        Search = "search",
        Star = "star",
        Plus = "plus",
        Check = "check",
        Next = "next",
        Undo = "undo",
        Edit = "edit",
        Delete = "delete",
        Calendar = "calendar",
        List = "list",
        Person = "person",
        External = "external",
        Download = "download",
        Upload = "upload",
        Chart = "chart",
        Lock = "lock",
        Shuffle = "shuffle",
        Clock = "clock",
        Filter = "filter",
        Close = "close",
        Image = "image",
        Music = "music",
        Film = "film",
        Shield = "shield",
        Code = "code",
    }
}

impl Render for Icon {
    fn render(&self) -> Markup {
        html! {
            svg.icon aria-hidden="true" { use href={ (ICONS.address()) "#" (self.name()) } {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Icon;
    use crate::assets::ICONS;

    #[test]
    fn the_file_has_all_icons() {
        let file = str::from_utf8(&ICONS.content).unwrap();
        for (_, id) in Icon::ALL {
            assert!(file.contains(&format!("<symbol id=\"{id}\"")), "{id}");
        }
        assert_eq!(file.matches("<symbol ").count(), Icon::ALL.len());
    }
}
