// Changes of entries are made one after the other, so that the numbers of entries have all of them.
let changes = Promise.resolve();

// Watches the next episode of an entry, sets its score, or undoes this, without leaving its place in the list. The
// notice with the undo goes into the entry.
document.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event;
  // The Enter key presses the first button of the form, which can be that of another entry.
  const source = form.id === "rate" ? document.activeElement : button;
  const entry = source?.closest(".stories > li");
  if (!entry || !form.matches("#next, #rate, .undoable form")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  if (form.id === "rate") {
    // Scores of other entries that are not saved yet stay as they are.
    for (const field of form.elements) {
      if (field.closest(".stories > li") && !entry.contains(field)) body.delete(field.name);
    }
  } else {
    button.disabled = true;
    if (button.name) body.append(button.name, button.value);
  }
  const list = entry.parentElement;
  changes = changes.then(() => change(list, entry, form.getAttribute("action"), body)).catch(() => location.reload());
});

// Sends the form of an entry. The answer has only what has changed, given the numbers of entries that the page shows.
async function change(list, entry, action, body) {
  body.append("counts", list.dataset.counts);
  const answer = await fetch(action, { method: "POST", body });
  const part = new DOMParser().parseFromString(await answer.text(), "text/html");
  const main = part.querySelector("main");
  if (main || !answer.ok) {
    // The entry has changed in another tab, or the session has ended.
    document.querySelector("main").replaceWith(document.importNode(main, true));
    scrollTo(0, 0);
    return;
  }
  const notice = part.querySelector(".notice");
  // The score was the same.
  if (!notice) return;
  if (!entry.isConnected) {
    // The notice of the change before has taken the place of the entry away.
    location.reload();
    return;
  }
  const before = document.querySelector(".undoable");
  const place = before?.parentElement;
  before?.remove();
  // An entry that is completed leaves the list of those that are watched. The next notice takes its place away.
  if (place !== entry && place?.matches(".stories > li:empty")) place.remove();
  list.dataset.counts = part.querySelector(".stories").dataset.counts;
  entry.replaceChildren(...(part.getElementById(entry.id)?.children ?? []), notice);
  for (const shown of part.querySelectorAll("body > [id]")) document.getElementById(shown.id)?.replaceWith(shown);
  notice.focus({ preventScroll: true });
}

// Selects all entries, and shows the shortcuts.
document.addEventListener("click", ({ target }) => {
  if ("keys" in target.dataset) document.getElementById("keys").showModal();
  if ("all" in target.dataset) for (const box of document.querySelectorAll(".pick input")) box.checked = true;
});

// The shortcuts of the list. They work only while the focus is in an entry, and not in controls that take these keys.
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const entry = target.closest(".stories > li");
  if (!entry || event.ctrlKey || event.altKey || event.metaKey) return;
  if (target.matches("select, [type=radio], :read-write")) return;
  const press = (button) => entry.querySelector(button)?.click();
  const focus = (item) => {
    item?.setAttribute("tabindex", -1);
    item?.focus();
  };
  if (key === "j" || key === "ArrowDown") focus(entry.nextElementSibling);
  else if (key === "k" || key === "ArrowUp") focus(entry.previousElementSibling);
  else if (key === "n") press("[form=next]");
  else if (key === "x") press(".pick input");
  else if (key === "?") document.querySelector("[data-keys]").click();
  else if (key === "/") {
    const search = document.getElementById("search");
    search.closest("details").open = true;
    search.focus();
  } else return;
  event.preventDefault();
});

