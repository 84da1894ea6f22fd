// Saves the record of an anime when its status, its progress, its score or a date changes, and plays trailers.

// Saves run one after the other: each changes the key of the entry, which the next one needs.
let saves = Promise.resolve();
let saving = 0;
let soon;

document.addEventListener("change", ({ target }) => {
  const form = target.closest("form.record");
  if (!form || target.closest(".more")) return;
  clearTimeout(soon);
  // The arrow keys go from one status to the next.
  soon = setTimeout(queueSave, target.type === "radio" ? 400 : 0, form);
});

function queueSave(form) {
  // A new entry is saved when its status is chosen.
  if (!form.checkValidity()) return;
  saving++;
  saves = saves.then(() => saveRecord(form)).finally(() => saving--);
}

// A button that is pressed during a save waits for the new key.
document.addEventListener("submit", async (event) => {
  const { target: form, submitter: button } = event;
  if (!form.matches("form.record")) return;
  clearTimeout(soon);
  if (!saving) return;
  event.preventDefault();
  await saves;
  if (form.isConnected) form.requestSubmit(button);
  else document.querySelector(`.record [formaction="${button?.getAttribute("formaction")}"]`)?.click();
});

async function saveRecord(form) {
  // The record has been replaced.
  if (!form.isConnected) return;
  const sent = new FormData(form);
  const text = (data) => String(new URLSearchParams(data));
  const body = new URLSearchParams(sent);
  const answer = await fetch(form.getAttribute("action"), { method: "POST", body }).catch(() => null);
  // Without the service, the values stay, and the button can save them later.
  form.classList.toggle("unsaved", !answer || answer.status >= 500);
  if (form.matches(".unsaved")) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = answer.ok && page.querySelector("form.record");
  if (!fresh) {
    // The answer is a page about an invalid value, a conflict, or the end of the session.
    form.submit();
    return;
  }
  const typed = text(new FormData(form)) !== text(sent);
  form.elements.entry.value = fresh.elements.entry.value;
  said.textContent = page.querySelector(".notice")?.textContent ?? "";
  // What was typed meanwhile stays until it is saved.
  if (typed) return;
  const { id, name, value } = document.activeElement;
  fresh.querySelector(".more").open = form.querySelector(".more").open;
  const record = document.importNode(fresh, true);
  form.replaceWith(record);
  record.querySelector(id ? `#${id}` : `[name="${name}"][value="${value}"]`)?.focus();
}

// Puts the video in the place of the link to it.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.trailer[data-embed]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const frame = document.createElement("iframe");
  frame.className = "trailer";
  frame.title = link.textContent.trim();
  frame.allow = "autoplay; fullscreen";
  // The player refuses to work without the name of this site.
  frame.referrerPolicy = "strict-origin";
  frame.src = link.dataset.embed;
  link.replaceWith(frame);
  frame.focus();
});
