//! `myriad patches`.

use crate::harness::Folder;

#[test]
fn lists_and_shows_every_patch() {
    let folder = Folder::new();
    let text = folder.succeed(&["patches"]).stdout;
    let list = folder.succeed(&["patches", "--json"]).json();
    let list = list.as_array().unwrap();
    assert!(list.len() >= 12, "{}", list.len());
    for patch in list {
        let name = patch["name"].as_str().unwrap();
        assert!(text.contains(name));
        assert!(!patch["category"].as_str().unwrap().is_empty(), "{name}");
        assert!(folder.succeed(&["patches", name]).stdout.contains(name));
        assert_eq!(
            folder.succeed(&["patches", name, "--json"]).json()["name"],
            name
        );
    }
}

#[test]
fn a_category_filters_the_list() {
    let folder = Folder::new();
    let list = folder.succeed(&["patches", "--json"]).json();
    let category = list[0]["category"].as_str().unwrap();
    let wanted = category.to_uppercase();
    let some = folder
        .succeed(&["patches", "--json", "--category", &wanted])
        .json();
    let some = some.as_array().unwrap();
    assert!(!some.is_empty());
    assert!(some.iter().all(|patch| patch["category"] == category));
}

/// What is printed is a patch file: it can be edited and played.
#[test]
fn a_patch_printed_as_toml_is_the_same_patch() {
    let folder = Folder::new();
    let list = folder.succeed(&["patches", "--json"]).json();
    for patch in list.as_array().unwrap() {
        let name = patch["name"].as_str().unwrap();
        let toml = folder.succeed(&["patches", name, "--toml"]).stdout;
        folder.put("mine.toml", &toml);
        assert_eq!(
            folder.succeed(&["patches", "mine.toml", "--toml"]).stdout,
            toml,
            "{name}"
        );
    }
}

#[test]
fn a_misspelt_name_is_understood() {
    let folder = Folder::new();
    let list = folder.succeed(&["patches", "--json"]).json();
    let names = list
        .as_array()
        .unwrap()
        .iter()
        .map(|patch| patch["name"].as_str().unwrap());
    let name = names.max_by_key(|name| name.len()).unwrap();
    let (head, tail) = name.split_at(name.len() - 2);
    let misspelt = format!("{head}x{tail}");
    folder.fail(
        &["patches", &misspelt],
        2,
        &format!("did you mean '{name}'?"),
    );
    folder.fail(&["render", "song.mid", "-p", &misspelt], 1, "song.mid");
}

/// `myriad patches | head -1` must not complain.
#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = Folder::new().spawn(&["patches", "--json"]);
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}
