// Shows the copy buttons, which copy the text beside them, updates the results of a search while the visitor types,
// changes entries of the list in their place, uses passkeys, and states the time zone. Pages work without this script.

// Tells the service the time zone of the browser. An account without a time zone gets it with the next sign-in.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  // The folder of this script. It is not `/` if the service shares the host with others.
  const path = new URL(".", document.currentScript.src).pathname;
  document.cookie = `time_zone=${zone}; path=${path}; max-age=31536000; samesite=lax${secure}`;
}

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

// Shows what needs passkeys, and hides what is for browsers without them. Older browsers cannot read the options.
const passkeys = window.PublicKeyCredential;
if (passkeys?.parseCreationOptionsFromJSON) {
  for (const part of document.querySelectorAll("[data-passkey]")) {
    part.hidden = !part.hidden;
    if (part.dataset.passkey) offerPasskey(part);
  }
}

// Makes or uses a passkey when the button is pressed, and sends it with the form.
async function offerPasskey(button) {
  const { passkey, autofill, known, failed } = button.dataset;
  const options = JSON.parse(passkey);
  const form = button.form;
  let waiting;
  const use = async (mediation) => {
    // Only one request at a time is allowed. That of the autofill waits until the visitor leaves the page.
    waiting?.abort();
    const { signal } = (waiting = new AbortController());
    const { credentials } = navigator;
    try {
      const credential = options.user
        ? await credentials.create({ publicKey: passkeys.parseCreationOptionsFromJSON(options), signal })
        : await credentials.get({ publicKey: passkeys.parseRequestOptionsFromJSON(options), mediation, signal });
      form.elements.credential.value = JSON.stringify(credential);
      form.setAttribute("action", button.formAction);
      form.submit();
    } catch ({ name }) {
      if (mediation) return;
      // The browser does not say if the visitor has closed its dialog or has no passkey.
      button.nextElementSibling.textContent = name === "InvalidStateError" ? known : failed;
      fill();
    }
  };
  const fill = async () => {
    if (autofill != null && (await passkeys.isConditionalMediationAvailable?.())) use("conditional");
  };
  button.addEventListener("click", (event) => {
    event.preventDefault();
    button.nextElementSibling.textContent = "";
    if (!options.user || form.reportValidity()) use();
  });
  fill();
}
