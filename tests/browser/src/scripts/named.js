// Finds the first element that matches a CSS selector and has this name, a visible one if there is one, and marks it, or
// the control of a label. The name is the label for screen readers, or else the text without the parts that they skip,
// controls, and the remark in a heading. Returns whether there is such an element.
const [selector, name, isControl] = arguments;
const nameOf = (element) => {
  const copy = element.cloneNode(true);
  for (const part of copy.querySelectorAll("[aria-hidden='true'], input, select, textarea, h1 small")) {
    part.remove();
  }
  return element.getAttribute("aria-label") ?? copy.textContent.replace(/\s+/g, " ").trim();
};
for (const element of document.querySelectorAll("[data-found]")) {
  element.removeAttribute("data-found");
}
const named = [...document.querySelectorAll(selector)].filter((element) => nameOf(element) === name);
const isVisible = (element) => element.checkVisibility({ visibilityProperty: true });
const found = named.find(isVisible) ?? named[0];
(isControl ? found?.control : found)?.setAttribute("data-found", "");
const marked = document.querySelector("[data-found]");
// The bars at the edges of the window could cover an element that is only just in view.
marked?.scrollIntoView({ block: "center", behavior: "instant" });
return marked !== null;
