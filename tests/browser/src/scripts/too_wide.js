// Returns the innermost elements that are wider than this width, if the page can be scrolled horizontally.
const [width] = arguments;
if (Math.max(document.documentElement.scrollWidth, innerWidth) <= width) {
  return [];
}
const wide = [...document.querySelectorAll("body *")].filter(
  (element) => element.getBoundingClientRect().right > width + 0.5,
);
const innermost = wide.filter((element) => !wide.some((other) => other !== element && element.contains(other)));
return innermost.length > 0 ? innermost.map((element) => `${element.tagName} ${element.className}`) : ["the page"];
