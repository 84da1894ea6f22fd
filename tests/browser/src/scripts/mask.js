// Masks values that are shown once, without changing the layout. Returns the places where a token, a
// secret or the token of a link is still visible. The reference shows long names, which have no capitals and
// digits, examples of tokens, which claim nothing ("e30" is "{}"), and entity tags.
for (const area of document.querySelectorAll("textarea[readonly]")) {
  area.value = area.value.replace(/[^.]/g, "x");
  area.defaultValue = area.value;
}
const secret = /eyJ[\w-]+\.[\w-]+|\b(?=[\w-]*[A-Z\d])[\w-]{40,}/;
const examples = /eyJ[\w-]+\.e30\.[\w-]+|^etag: .*/gm;
const seen = [...document.querySelectorAll("input:not([type=hidden], [type=password]), textarea")]
  .filter((field) => secret.test(field.value))
  .map((field) => field.id);
return secret.test(document.body.innerText.replace(examples, "")) ? [...seen, "the text"] : seen;
