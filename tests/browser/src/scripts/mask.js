// Masks values that are shown once, without changing the layout. Returns the places where a token, a
// secret or the token of a link is still visible.
for (const area of document.querySelectorAll("textarea[readonly]")) {
  area.value = area.value.replace(/[^.]/g, "x");
  area.defaultValue = area.value;
}
const secret = /eyJ[\w-]+\.[\w-]+|(?!x+\b)\b[\w-]{40,}/;
const seen = [...document.querySelectorAll("input:not([type=hidden], [type=password]), textarea")]
  .filter((field) => secret.test(field.value))
  .map((field) => field.id);
return secret.test(document.body.innerText) ? [...seen, "the text"] : seen;
