// Changes of entries are made one after the other, so that the numbers of entries have all of them.
let changes = Promise.resolve();

// Watches the next episode of an entry or undoes a change, without leaving its place in the list. The notice with the
// undo goes into the entry.
document.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event;
  if (form.id === "rate" && entryOf(document.activeElement)) {
    // The score has been sent when it changed.
    event.preventDefault();
    return;
  }
  const entry = entryOf(button);
  if (!entry || !form.matches("#next, .undoable form")) return;
  event.preventDefault();
  button.disabled = true;
  const body = new URLSearchParams(new FormData(form));
  if (button.name) body.append(button.name, button.value);
  queue(entry, form, body, button);
});

// Sends a score as soon as it has changed, and a form that consists of a choice. Dates are filled in by their pickers.
document.addEventListener("change", ({ target }) => {
  const { form } = target;
  const entry = entryOf(target);
  if (entry && form?.id === "rate") {
    const body = new URLSearchParams(new FormData(form));
    // Scores of other entries that are not saved yet stay as they are.
    for (const field of form.elements) if (field.name && entryOf(field) && field !== target) body.delete(field.name);
    queue(entry, form, body, target);
  } else if (form && "sends" in form.dataset) form.submit();
  else if (target.matches("input[data-fills]") && target.value) fillIn(target, target.value);
});

function entryOf(element) {
  return element?.closest(".stories > li");
}

function queue(entry, form, body, control) {
  const list = entry.parentElement;
  const send = () => change(list, entry, form.getAttribute("action"), body);
  changes = changes.then(send).catch((error) => {
    control.disabled = false;
    fail(entry, error);
  });
}

// Sends a form, and returns the parts of the page that have changed. Returns undefined if there are none. A conflict, an
// invalid value or the end of the session is a whole page, which is shown. Other errors are thrown, with their sentence.
async function sendForPart(action, body) {
  const answer = await fetch(action, { method: "POST", body });
  const part = new DOMParser().parseFromString(await answer.text(), "text/html");
  const main = part.querySelector("main");
  if (answer.status >= 500 || answer.status === 429) throw main?.querySelector("p")?.textContent;
  if (main) {
    document.querySelector("main").replaceWith(document.importNode(main, true));
    scrollTo(0, 0);
    return undefined;
  }
  return part.querySelector(".notice") ? part : undefined;
}

// Says in an entry or a card that a change has failed. The page stays as it is, and the visitor can try again.
function fail(place, error) {
  const sentence = typeof error === "string" ? error : document.querySelector("[data-failed]")?.dataset.failed;
  if (!sentence) {
    location.reload();
    return;
  }
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.tabIndex = -1;
  notice.textContent = sentence;
  takeNotice(place);
  place.append(notice);
  notice.focus({ preventScroll: true });
}

// Removes the notice of the change before. An entry that has left the list had only the notice in its place.
function takeNotice(place) {
  const before = document.querySelector(":is(.stories > li, .card) > .notice, .undoable");
  const old = before?.parentElement;
  before?.remove();
  if (old !== place && old?.matches(".stories > li:empty")) old.remove();
}

// Sends the form of an entry. The answer has only what has changed, given the numbers of entries that the page shows.
async function change(list, entry, action, body) {
  body.append("counts", list.dataset.counts);
  const part = await sendForPart(action, body);
  if (!part) return;
  if (!entry.isConnected) {
    // The notice of the change before has taken the place of the entry away.
    location.reload();
    return;
  }
  const notice = part.querySelector(".notice");
  takeNotice(entry);
  list.dataset.counts = part.querySelector("[data-counts]").dataset.counts;
  const number = entry.querySelector(".no")?.textContent;
  const isPicked = entry.querySelector(".pick input")?.checked;
  entry.replaceChildren(...(part.getElementById(entry.id)?.children ?? []), notice);
  // The entry keeps its number and its check mark.
  const box = entry.querySelector(".pick input");
  if (box) {
    box.checked = isPicked;
    box.nextElementSibling.textContent = number;
  }
  for (const shown of part.querySelectorAll("body > [id]")) document.getElementById(shown.id)?.replaceWith(shown);
  notice.focus({ preventScroll: true });
}

// Selects all entries, shows the shortcuts, and fills in today's date.
document.addEventListener("click", ({ target }) => {
  if ("keys" in target.dataset) document.getElementById("keys").showModal();
  if ("all" in target.dataset) for (const box of document.querySelectorAll(".pick input")) box.checked = true;
  // The Swedish form of a date is that of the field.
  if (target.matches("button[data-fills]")) fillIn(target, new Date().toLocaleDateString("sv"));
});

// Writes a date into the text beside its picker.
function fillIn({ dataset }, date) {
  const field = document.getElementById(dataset.fills);
  field.value = date;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.focus();
}

// The shortcuts of the list. They work only while the focus is in an entry, and not in controls that take these keys.
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const entry = entryOf(target);
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
  else return;
  event.preventDefault();
});
