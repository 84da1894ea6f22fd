// Fills in a template of Handlebars. Reads {"template": ..., "values": [{...}, ...]}, and writes the texts as JSON.
import { readFileSync } from "node:fs";
import Handlebars from "handlebars";

const { template, values } = JSON.parse(readFileSync(0, "utf8"));
// Jellyfin's plugin also compiles its templates without options, so "{{...}}" escapes for HTML.
const render = Handlebars.compile(template);
process.stdout.write(JSON.stringify(values.map((value) => render(value))));
