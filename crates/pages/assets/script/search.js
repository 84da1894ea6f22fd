// Suggests anime and songs below the search in the header while the visitor types. The suggestions are links, between
// which the arrow keys move.
const find = document.querySelector(".find");
const findForm = find.firstElementChild;
const findField = findForm.elements.search;
const hits = document.createElement("div");
hits.className = "hits";
hits.hidden = true;
find.append(hits);
find.querySelector("kbd").hidden = false;

let hitsWaiting;
let hitsRunning;

async function suggest() {
  hitsRunning?.abort();
  const search = findField.value.trim();
  if (!search) {
    hits.hidden = true;
    return;
  }
  hitsRunning = new AbortController();
  const query = new URLSearchParams({ search, covers: "covers" in findForm.dataset });
  try {
    const answer = await fetch(`${findForm.getAttribute("action")}/suggest?${query}`, { signal: hitsRunning.signal });
    if (!answer.ok) return;
    const part = new DOMParser().parseFromString(await answer.text(), "text/html");
    hits.replaceChildren(...part.body.children);
    showHits();
    said.textContent = hits.hidden ? "" : hits.firstElementChild.textContent;
  } catch {
    // A later change has stopped the request, or the network has failed. The form still works.
  }
}

function showHits() {
  hits.hidden = !hits.firstElementChild || !findField.value.trim() || !find.contains(document.activeElement);
}

findField.addEventListener("input", () => {
  clearTimeout(hitsWaiting);
  hitsWaiting = setTimeout(suggest, 200);
});
findField.addEventListener("focus", showHits);
find.addEventListener("focusout", ({ relatedTarget }) => {
  if (!find.contains(relatedTarget)) hits.hidden = true;
});
// The field keeps the focus while a suggestion is pressed. Not all browsers give the focus to a link that is pressed.
hits.addEventListener("mousedown", (event) => event.preventDefault());

find.addEventListener("keydown", (event) => {
  const { key, isComposing } = event;
  // The keyboard of a language such as Japanese needs these keys itself while a word is typed.
  if (hits.hidden || isComposing || !["ArrowDown", "ArrowUp", "Escape"].includes(key)) return;
  event.preventDefault();
  if (key === "Escape") {
    findField.focus();
    hits.hidden = true;
    return;
  }
  const stops = [findField, ...hits.querySelectorAll("a")];
  // From the button of a suggestion, the arrow keys go on from its link.
  const item = document.activeElement.closest("li")?.querySelector("a") ?? document.activeElement;
  const next = stops.indexOf(item) + (key === "ArrowDown" ? 1 : -1);
  stops[(next + stops.length) % stops.length].focus();
});

// Puts a suggested anime on the list. The seal of its new status takes the place of the button.
hits.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { target: form, submitter: button } = event;
  const body = new URLSearchParams(new FormData(form));
  body.append(button.name, button.value);
  body.append("card", "");
  button.disabled = true;
  const answer = await fetch(form.getAttribute("action"), { method: "POST", body }).catch(() => null);
  const part = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const seal = part && !part.querySelector("main") && part.querySelector(".seal");
  if (!seal) {
    // The session has ended, or the anime has been put on the list elsewhere.
    location.reload();
    return;
  }
  button.closest("li").querySelector("a").focus();
  button.replaceWith(document.importNode(seal, true));
  said.textContent = part.querySelector(".notice")?.firstElementChild.textContent ?? "";
});

// `/` and Ctrl+K (or Command+K) lead to the search. On a phone, it is on the page that the link leads to.
document.addEventListener("keydown", (event) => {
  const { key, target, ctrlKey, altKey, metaKey } = event;
  const isSlash = key === "/" && !ctrlKey && !altKey && !metaKey && !target.matches("select, :read-write");
  if (!isSlash && !(key === "k" && (ctrlKey || metaKey) && !altKey)) return;
  event.preventDefault();
  if (findField.checkVisibility()) {
    findField.focus();
    findField.select();
  } else findForm.querySelector("a").click();
});

if (location.hash === "#search") document.getElementById("search")?.focus();
