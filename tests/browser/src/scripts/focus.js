// What has the focus: its text, its place among what the Tab key is to reach, how many those are, and
// whether it is outlined and seen. Of the choices out of a few one is reached: the chosen, or the first.
const isReached = (element) => {
  if (element.type !== "radio") {
    return element.type !== "hidden" && element.checkVisibility();
  }
  const group = [...document.getElementsByName(element.name)];
  return element === (group.find((choice) => choice.checked) ?? group[0]);
};
const all = [...document.querySelectorAll("a[href], button, input, select, textarea")].filter(isReached);
const active = document.activeElement;
const { outlineStyle, outlineWidth } = getComputedStyle(active);
const { top, bottom, left, right } = active.getBoundingClientRect();
return {
  text: active.textContent.trim() || active.id,
  place: all.indexOf(active),
  count: all.length,
  outlined: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
  // Not all of it: of a text area browsers bring only the line into sight that is written on.
  seen: bottom > 24 && top < innerHeight - 24 && left >= 0 && right <= innerWidth,
};
