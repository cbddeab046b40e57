//! Patch search.

use super::Patch;

/// Those of `candidates` that contain every word of `text` in name, category, author, tags or
/// description. Matches of the name come first; otherwise they keep their order.
pub fn search<'a, T>(
    text: &str,
    candidates: impl IntoIterator<Item = T>,
    patch_of: impl Fn(&T) -> &'a Patch,
) -> Vec<T> {
    let text = text.to_lowercase();
    let has_all = |what: &str| text.split_whitespace().all(|word| what.contains(word));
    let answers = |candidate: &T| has_all(&all_words(patch_of(candidate)).to_lowercase());
    let named = |candidate: &T| has_all(&patch_of(candidate).name.to_lowercase());
    let mut found: Vec<T> = candidates.into_iter().filter(answers).collect();
    found.sort_by_cached_key(|candidate| !named(candidate));
    found
}

fn all_words(patch: &Patch) -> String {
    let tags = patch.tags.join(" ");
    let texts = [&patch.name, &patch.category, &patch.author, &tags, &patch.description];
    texts.map(String::as_str).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_first_and_every_word_counts() {
        let patch = |name: &str, description: &str, tags: &[&str]| Patch {
            name: name.into(),
            description: description.into(),
            tags: tags.iter().map(|&tag| tag.into()).collect(),
            ..Patch::new()
        };
        let patches = [
            patch("Ash", "A bell under water", &[]),
            patch("Bell Tower", "", &["dark"]),
            patch("Cave", "", &["dark", "wet"]),
            patch("Deep Bell", "Dark", &[]),
        ];
        let found = |text: &str| -> Vec<&str> {
            let found = search(text, &patches, |patch| patch);
            found.iter().map(|patch| patch.name.as_str()).collect()
        };
        assert_eq!(found("BELL"), ["Bell Tower", "Deep Bell", "Ash"]);
        assert_eq!(found("dark bell"), ["Bell Tower", "Deep Bell"]);
        assert_eq!(found(" wet "), ["Cave"]);
        assert_eq!(found("").len(), 4);
        assert!(found("bell trumpet").is_empty());
    }
}
