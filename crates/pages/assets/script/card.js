// Puts an anime on the list from its card, or undoes this, without leaving the page.
document.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event;
  const card = button?.closest(".card:not(.picker > *)");
  if (!card || !form.matches("#quick, .undoable form")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  if (button.name) body.append(button.name, button.value);
  body.append("card", "1");
  const send = () => changeCard(card, form.getAttribute("action"), body);
  changes = changes.then(send).catch((error) => fail(card, error));
});

async function changeCard(card, action, body) {
  const part = await sendForPart(action, body);
  const add = card.querySelector(".add");
  add.open = false;
  card.classList.remove("shown");
  if (!part) return;
  takeNotice(card);
  for (const old of card.querySelectorAll(":scope > :is(.seal, .unseen)")) old.remove();
  add.replaceWith(part.querySelector(".add"));
  card.prepend(...part.querySelectorAll("body > :is(.seal, .unseen)"));
  const notice = part.querySelector(".notice");
  card.append(notice);
  notice.focus({ preventScroll: true });
}

// A long press on a touch screen opens the actions of a card. It must not open the menu of its link.
let pressed;
document.addEventListener("touchstart", ({ target }) => {
  const add = target.closest(".card")?.querySelector(".add");
  if (add && !add.contains(target)) pressed = setTimeout(() => (add.open = true), 500);
}, { passive: true });
for (const end of ["touchend", "touchmove", "touchcancel"]) {
  document.addEventListener(end, () => clearTimeout(pressed), { passive: true });
}
document.addEventListener("contextmenu", (event) => {
  if (event.pointerType === "touch" && event.target.closest(".card")?.querySelector(".add[open]")) event.preventDefault();
});
