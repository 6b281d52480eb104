//! What keys do. Pure, so that it can be tested without a browser.

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Put the cursor into the filter.
    Filter,
    /// Go to the next skill.
    Next,
    /// Go to the skill before.
    Previous,
    /// Choose the skill, or let go of it.
    Choose,
    /// Verify all files of the skill, or stop that.
    Verify,
    /// Show or hide the wire.
    Wire,
    /// Show the help.
    Help,
    /// Show the palette.
    Palette,
}

/// The keys and what they do, for the help.
pub(crate) const HELP: [(&str, &str); 11] = [
    ("Ctrl K", "find a skill, a place or an action; ⌘ K on a Mac"),
    ("/", "filter the skills"),
    ("j", "next skill"),
    ("k", "skill before"),
    ("Enter", "open the skill or file"),
    ("x", "choose the skill, to verify or check several; Escape lets go of all"),
    ("⇧ ↑ ↓", "choose the skills above or below as well"),
    ("v", "verify all files of the skill, or stop"),
    ("← →", "move between tabs"),
    ("`", "show or hide the wire"),
    ("?", "this help"),
];

/// A key that went down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Press<'k> {
    /// The key's name as the browser gives it.
    pub(crate) key: &'k str,
    /// Whether Ctrl, Alt or Meta is held, which makes it somebody else's.
    pub(crate) modified: bool,
    /// Whether Ctrl or Meta is held, and nothing else.
    pub(crate) commanding: bool,
    /// Whether the cursor is in a field.
    pub(crate) typing: bool,
}

/// What `press` asks for, if anything.
pub(crate) fn command(press: Press<'_>) -> Option<Command> {
    if press.commanding && press.key == "k" {
        return Some(Command::Palette);
    }
    if press.modified || press.typing {
        return None;
    }
    Some(match press.key {
        "/" => Command::Filter,
        "j" => Command::Next,
        "k" => Command::Previous,
        "x" => Command::Choose,
        "v" => Command::Verify,
        "`" => Command::Wire,
        "?" => Command::Help,
        _ => return None,
    })
}

/// Where a key moves in a row of `count` things, of which `current` has the focus.
pub(crate) fn roving(key: &str, current: usize, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    match key {
        "ArrowRight" | "ArrowDown" => Some(if current >= last { 0 } else { current + 1 }),
        "ArrowLeft" | "ArrowUp" => Some(if current == 0 { last } else { current - 1 }),
        "Home" => Some(0),
        "End" => Some(last),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_commands_only_outside_of_fields() {
        let press =
            |key, modified, typing| command(Press { key, modified, commanding: false, typing });
        assert_eq!(press("/", false, false), Some(Command::Filter));
        assert_eq!(press("/", false, true), None);
        assert_eq!(press("j", true, false), None);
        assert_eq!(press("y", false, false), None);
        let commanding = Press { key: "k", modified: true, commanding: true, typing: true };
        assert_eq!(command(commanding), Some(Command::Palette));
        assert_eq!(command(Press { key: "j", ..commanding }), None);
    }

    #[test]
    fn the_help_names_every_command() {
        let named = |key: &str| HELP.iter().any(|(named, _)| *named == key);
        for key in ["/", "j", "k", "x", "v", "`", "?"] {
            let press = Press { key, modified: false, commanding: false, typing: false };
            assert!(command(press).is_some() && named(key));
        }
    }

    #[test]
    fn tabs_go_round() {
        assert_eq!(roving("ArrowRight", 4, 5), Some(0));
        assert_eq!(roving("ArrowLeft", 0, 5), Some(4));
        assert_eq!(roving("End", 1, 5), Some(4));
        assert_eq!(roving("Tab", 1, 5), None);
        assert_eq!(roving("ArrowRight", 0, 0), None);
    }
}
