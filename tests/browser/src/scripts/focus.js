// Returns the focused element: its text, its position among the elements that the Tab key must reach, the
// number of these elements, and whether it is outlined and visible. The Tab key reaches one radio button
// of a group: the checked one, or else the first.
const isReached = (element) => {
  if (element.type !== "radio") {
    return element.type !== "hidden" && element.checkVisibility();
  }
  const group = [...document.getElementsByName(element.name)];
  return element === (group.find((choice) => choice.checked) ?? group[0]);
};
const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter(isReached);
const active = document.activeElement;
// The link of a card outlines the whole card.
const isOutlined = (element) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
};
const { top, bottom, left, right } = active.getBoundingClientRect();
return {
  text: active.textContent.trim() || active.id,
  place: all.indexOf(active),
  count: all.length,
  outlined: isOutlined(active.closest(".card") ?? active),
  // A part is enough: browsers only scroll to the current line of a text area, and not to the rest of a card.
  seen: bottom > 24 && top < innerHeight - 24 && right > 24 && left < innerWidth - 24,
};
