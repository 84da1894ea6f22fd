// The forms "Try it" of the reference.

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
