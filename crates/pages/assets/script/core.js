// Shows the copy buttons, which copy the text beside them, updates the results of a search while the visitor types,
// closes menus, uses passkeys, and states the time zone. Pages work without this script.

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
      const parts = form.dataset.live.split(" ").map((id) => page.getElementById(id));
      // An error of the server has no results. The visitor can still press the button.
      if (parts.every(Boolean)) {
        for (const part of parts) document.getElementById(part.id).replaceWith(document.importNode(part, true));
        history.replaceState(null, "", address);
        document.title = page.title;
        const status = parts.map((part) => part.querySelector("[role=status]")).find(Boolean);
        said.textContent = status?.textContent ?? "";
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

// Closes an open menu when the visitor goes on elsewhere, or presses Escape.
for (const menu of document.querySelectorAll("details.me")) {
  const close = () => menu.removeAttribute("open");
  document.addEventListener("click", ({ target }) => menu.contains(target) || close());
  menu.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !menu.contains(relatedTarget) && close());
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    close();
    menu.firstElementChild.focus();
  });
}

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
