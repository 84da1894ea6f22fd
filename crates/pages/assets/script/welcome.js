// Puts an anime on the list from the page after sign-up, and leaves the page where it is.
document.addEventListener("submit", async (event) => {
  const button = event.submitter;
  const card = button?.closest(".picker > li");
  // The button that is pressed already leads to another page.
  if (!card || button.hasAttribute("formaction")) return;
  event.preventDefault();
  const form = event.target;
  const place = [...card.parentNode.children].indexOf(card);
  const body = new URLSearchParams(new FormData(form, button));
  try {
    const response = await fetch(form.action, { method: "POST", body });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const changed = page.querySelector(".picker").children[place];
    card.replaceWith(changed);
    changed.querySelector("[aria-pressed=true]").focus();
    document.getElementById("picked").replaceWith(page.getElementById("picked"));
  } catch {
    location.reload();
  }
});
