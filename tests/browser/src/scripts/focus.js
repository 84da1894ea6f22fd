// Returns the focused element: its text, whether it is outlined and visible, whether it comes after the element that
// had the focus before, the controls between the two that the Tab key must reach but has skipped, and whether it is the
// last control. The Tab key reaches one radio button of a group: the checked one, or else the first. A card shows its
// buttons only while the focus is in it, so the controls are counted anew each time.
const isReached = (element) => {
  if (element.tabIndex < 0) {
    return false;
  }
  if (element.type !== "radio") {
    return element.type !== "hidden" && element.checkVisibility({ visibilityProperty: true });
  }
  const group = [...document.getElementsByName(element.name)];
  return element === (group.find((choice) => choice.checked) ?? group[0]);
};
const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter(isReached);
const active = document.activeElement;
const last = globalThis.lastFocus;
const isAfter = (element, other) => Boolean(other.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
const place = all.indexOf(active);
const skipped = all.slice(0, place).filter((element) => !last || isAfter(element, last));
// A control can be outlined through its label, its row or the text that holds it.
const isOutlined = (element) => {
  const { outlineStyle, outlineWidth } = element ? getComputedStyle(element) : {};
  return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
};
const { top, bottom, left, right } = active.getBoundingClientRect();
const textOf = (element) => element.textContent.trim() || element.getAttribute("aria-label") || element.id;
return {
  text: textOf(active),
  // A field for a date takes the focus several times.
  follows: place >= 0 && (!last || active === last || isAfter(active, last)),
  skipped: skipped.map(textOf),
  isLast: place === all.length - 1,
  outlined: [active, active.closest("label"), active.closest(".clamp"), active.closest("li")].some(isOutlined),
  // A part is enough: browsers only scroll to the current line of a text area, and not to the rest of a card.
  seen: bottom > 24 && top < innerHeight - 24 && right > 24 && left < innerWidth - 24,
};
