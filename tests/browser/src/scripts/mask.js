// What is shown once goes, and its place stays as it was. Answers where something is seen all the
// same that looks like a token, a secret, or a link's.
for (const area of document.querySelectorAll("textarea[readonly]")) {
  area.value = area.value.replace(/[^.]/g, "x");
  area.defaultValue = area.value;
}
const secret = /eyJ[\w-]+\.[\w-]+|(?!x+\b)\b[\w-]{40,}/;
const seen = [...document.querySelectorAll("input:not([type=hidden], [type=password]), textarea")]
  .filter((field) => secret.test(field.value))
  .map((field) => field.id);
return secret.test(document.body.innerText) ? [...seen, "the text"] : seen;
