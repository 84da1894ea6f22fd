// Shows the copy buttons, which copy the text beside them, and the forms "Try it" of the reference, and updates the
// results of a search while the visitor types. Pages work without this script.

// Announces the result to screen readers.
const said = document.createElement("p");
said.className = "unseen";
said.setAttribute("role", "status");
document.body.append(said);

for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.firstElementChild;
  const usual = label.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const copied = await copy(source);
    const text = button.dataset;
    label.textContent = copied ? text.copied : text.selected;
    said.textContent = copied ? text.copied : text.help;
    setTimeout(() => {
      label.textContent = usual;
      said.textContent = "";
    }, 3000);
  });
}

// Copies the text. If the browser does not allow that, selects it and returns false.
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    return true;
  } catch {
    if (source.select) {
      source.focus();
      source.select();
    } else {
      getSelection().selectAllChildren(source);
    }
    return false;
  }
}

// Looks every 5 seconds, for at most 30 minutes, if the page still waits for something. If not, opens it again.
if (document.querySelector("[data-waits]")) {
  let rounds = 360;
  const timer = setInterval(async () => {
    if (document.hidden) return;
    if (--rounds === 0) clearInterval(timer);
    const answer = await fetch(location.href).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!page.querySelector("[data-waits]")) {
      clearInterval(timer);
      location.reload();
    }
  }, 5000);
}

// Replaces the results of a search form after each change of its fields, and the address with that of the results.
for (const form of document.querySelectorAll("form[data-live]")) {
  let waiting;
  let running;
  const update = async () => {
    running?.abort();
    running = new AbortController();
    const fields = [...new FormData(form)].filter(([, value]) => value);
    const address = `${form.getAttribute("action")}?${new URLSearchParams(fields)}`;
    try {
      const answer = await fetch(address, { signal: running.signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const results = page.getElementById(form.dataset.live);
      // An error of the server has no results. The visitor can still press the button.
      if (results) {
        document.getElementById(form.dataset.live).replaceWith(document.importNode(results, true));
        history.replaceState(null, "", address);
        said.textContent = results.querySelector("[role=status]")?.textContent ?? "";
      }
    } catch {
      // A later change has stopped the request, or the network has failed. The button still works.
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(update, 250);
  });
}

// Saves a score that is chosen with a pointer. On a keyboard, each arrow key changes the choice, so the button saves it.
document.addEventListener("change", ({ target }) => {
  if (target.matches(".rate > select:not(:focus-visible)")) target.form.requestSubmit();
});

// Watches the next episode of an entry, or sets its score, without leaving its place in the list. The notice with the undo
// goes into the entry.
document.addEventListener("submit", async (event) => {
  const { target: form, submitter: button } = event;
  // The Enter key presses the first button of the form, which can be that of another entry.
  const source = form.id === "rate" ? document.activeElement : button;
  const entry = source?.closest(".stories > li");
  if (!entry || !(form.id === "next" || form.id === "rate")) {
    return;
  }
  event.preventDefault();
  try {
    const body = new URLSearchParams(new FormData(form));
    if (form.id === "next") {
      button.disabled = true;
      body.append(button.name, button.value);
    }
    // Scores of other entries that are not saved yet stay as they are.
    for (const field of form.elements) {
      if (field.closest(".stories > li") && !entry.contains(field)) body.delete(field.name);
    }
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const notice = page.querySelector(".notice");
    if (!answer.ok || !notice) {
      // The entry has changed in another tab, or the session has ended.
      document.querySelector("main").replaceWith(document.importNode(page.querySelector("main"), true));
      scrollTo(0, 0);
      return;
    }
    document.querySelector(".notice")?.remove();
    // An entry that is completed leaves the list of those that are watched.
    entry.replaceChildren(...(page.getElementById(entry.id)?.children ?? []), notice);
    notice.focus({ preventScroll: true });
  } catch {
    location.reload();
  }
});

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

// Adds a form to each operation of the reference that can be tried. The parameters are those that the page
// lists.
for (const place of document.querySelectorAll(".try")) {
  const section = place.closest("section");
  const name = section.querySelector("h2").textContent;
  const details = element("details");
  const summary = element("summary", "Try it");
  summary.append(unseen(`: ${name}`));
  const form = element("form");
  const fields = [...section.querySelectorAll("[data-in] > dt")].map((term) => field(form, term));
  const token = "token" in place.dataset ? tokenField(form, place) : undefined;
  const actions = element("p");
  actions.className = "actions";
  const button = element("button", "Send");
  button.append(unseen(`: ${name}`));
  actions.append(button);
  form.append(actions);
  const status = element("p");
  status.setAttribute("role", "status");
  const result = element("div");
  details.append(summary, form, status, result);
  place.append(details);
  let latest = 0;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const current = ++latest;
    status.textContent = "Waiting for the response.";
    result.replaceChildren();
    const answer = await send(place.dataset.path, fields, token);
    // A response that arrives after that of a later request is not shown.
    if (current === latest) {
      status.textContent = answer.status;
      result.replaceChildren(...answer.parts.map(([label, text]) => block(`${label}: ${name}`, text)));
    }
  });
}

function element(tag, text = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function unseen(text) {
  const span = element("span", text);
  span.className = "unseen";
  return span;
}

// Adds the field of a parameter: a list if the parameter is a choice, and a line of text otherwise.
function field(form, term) {
  const name = term.querySelector("code").textContent;
  const { example, required, values } = term.dataset;
  const input = element(values ? "select" : "input");
  if (values) {
    const options = values.split(",").map((value) => new Option(value, value.split(" ")[0]));
    input.append(new Option("", ""), ...options);
  } else {
    input.placeholder = example ? `Example: ${example}` : "";
  }
  input.required = required !== undefined;
  if (input.required && example) {
    input.value = example;
  }
  addField(form, `${term.closest("section").querySelector("h2").id}-${name}`, name, input);
  return { name, place: term.parentElement.dataset.in, input };
}

// Adds a field for an access token. The token is kept in the fields of this page only.
function tokenField(form, place) {
  const input = element("input");
  const id = `${place.closest("section").querySelector("h2").id}-access-token`;
  input.type = "password";
  input.dataset.accessToken = "";
  input.addEventListener("input", () => {
    for (const other of document.querySelectorAll("[data-access-token]")) {
      other.value = input.value;
    }
  });
  addField(form, id, "Access token", input);
  return input;
}

function addField(form, id, text, input) {
  const label = element("label", text);
  label.htmlFor = input.id = id;
  if (input.tagName === "INPUT") {
    input.autocomplete = "off";
    input.autocapitalize = "none";
    input.spellcheck = false;
  }
  const row = element("div");
  row.className = "field";
  row.append(label, input);
  form.append(row);
}

// Returns the path and the headers of a request with the filled fields.
function request(template, fields, token) {
  let path = template;
  const query = new URLSearchParams();
  const headers = new Headers();
  for (const { name, place, input } of fields.filter(({ input }) => input.value)) {
    if (place === "path") {
      path = path.replace(`{${name}}`, encodeURIComponent(input.value));
    } else if (place === "query") {
      query.append(name, input.value);
    } else if (place === "header") {
      headers.set(name, input.value);
    }
  }
  if (token?.value.trim()) {
    headers.set("Authorization", `Bearer ${token.value.trim()}`);
  }
  const address = query.size > 0 ? `${path}?${query}` : path;
  return { address, headers };
}

// Sends a request to this site, without cookies. Returns its status and the parts of its result with their names.
async function send(template, fields, token) {
  try {
    const { address, headers } = request(template, fields, token);
    const response = await fetch(address, { headers, credentials: "omit", cache: "no-store" });
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    const body = pretty(await response.text());
    return {
      status: `Status: ${response.status} ${response.statusText}`.trim(),
      parts: [["Request", `GET ${address}`], ["Headers", lines.join("\n")], ["Body", body]],
    };
  } catch {
    return { status: "The request failed. Check the values and your connection, and try again.", parts: [] };
  }
}

// Returns a text that can be scrolled with the keyboard.
function block(name, text) {
  const pre = element("pre");
  pre.tabIndex = 0;
  pre.setAttribute("role", "region");
  pre.setAttribute("aria-label", name);
  pre.append(element("code", text));
  return pre;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
