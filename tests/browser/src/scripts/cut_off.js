// Returns the elements whose text does not fit into them and is not shown. Texts for screen readers only are meant to be
// cut off, and so are titles of a limited number of lines (long ones end with their last words, after a part with an
// ellipsis), which the page of the anime shows in full. The slip on the book of a cover has a fixed size: it is
// decoration, which screen readers skip, and its title stands beside the cover.
const isMeant = (element) =>
  element.matches(".unseen, .unseen *, .long b, [aria-hidden='true'] .slip") ||
  getComputedStyle(element).webkitLineClamp !== "none";
const isCut = (element) => {
  const style = getComputedStyle(element);
  const hides = (overflow) => overflow === "hidden" || overflow === "clip";
  return (
    (hides(style.overflowX) && element.scrollWidth > element.clientWidth + 1) ||
    (hides(style.overflowY) && element.scrollHeight > element.clientHeight + 1)
  );
};
return [...document.querySelectorAll("body *")]
  .filter((element) => element.innerText?.trim() && !isMeant(element) && isCut(element))
  .map((element) => `${element.tagName} ${element.className}`);
