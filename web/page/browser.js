// The list of patches: search, categories, and a choice by mouse or arrow keys.

const element = (id) => document.getElementById(id);

export class PatchBrowser {
  constructor(patches, open) {
    this.patches = patches;
    this.open = open;
    this.category = undefined;
    this.categories = [...new Set(patches.map(({ category }) => category))].sort();
    element("search").addEventListener("input", () => this.list());
    element("search").addEventListener("keydown", (event) => this.step(event));
    element("categories").replaceChildren(...this.categories.map((category) => this.chip(category)));
  }

  show(name) {
    this.name = name;
    this.list();
    element("browser").showModal();
    element("search").focus();
    element("patch-list").querySelector("[aria-selected=true]")?.scrollIntoView({ block: "center" });
  }

  /** The patch so many places further in the list as it is filtered, or of all when that has no other. */
  neighbour(name, step) {
    const found = this.found();
    const list = found.length > 1 ? found : this.patches;
    const at = list.findIndex((patch) => patch.name === name);
    return list[(Math.max(at, step > 0 ? -1 : 0) + step + list.length) % list.length].name;
  }

  /** Every word must occur; matches of the name come first. */
  found() {
    const words = element("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const hasAll = (text) => words.every((word) => text.toLowerCase().includes(word));
    const text = ({ name, category, description, tags }) => [name, category, description, ...tags].join(" ");
    const matches = this.patches.filter(
      (patch) => (!this.category || patch.category === this.category) && hasAll(text(patch)),
    );
    return [...matches.filter(({ name }) => hasAll(name)), ...matches.filter(({ name }) => !hasAll(name))];
  }

  list() {
    const found = this.found();
    const items = found.map((patch) => {
      const item = document.createElement("li");
      Object.assign(item, { role: "option", ariaSelected: String(patch.name === this.name) });
      const [name, category, description] = ["span", "em", "small"].map((tag) => document.createElement(tag));
      name.textContent = patch.name;
      category.textContent = patch.category;
      description.textContent = patch.description;
      item.append(name, category, description);
      item.addEventListener("click", () => {
        this.choose(patch.name);
        element("browser").close();
      });
      return item;
    });
    if (items.length === 0) {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "No patch has all of these words";
      items.push(none);
    }
    element("patch-list").replaceChildren(...items);
  }

  choose(name) {
    this.name = name;
    this.open(name);
    this.list();
    element("patch-list").querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  /** Arrow keys go through the list while one searches. */
  step(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const found = this.found();
    const at = found.findIndex(({ name }) => name === this.name);
    const next = found[Math.min(Math.max(at + step, 0), found.length - 1)];
    if (next) this.choose(next.name);
  }

  chip(category) {
    const chip = document.createElement("button");
    chip.textContent = category;
    chip.ariaPressed = "false";
    chip.addEventListener("click", () => {
      this.category = this.category === category ? undefined : category;
      for (const other of element("categories").children) {
        other.ariaPressed = String(other.textContent === this.category);
      }
      this.list();
    });
    return chip;
  }
}
