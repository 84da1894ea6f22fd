// Fills in a template of Handlebars. Reads {"template": ..., "values": [{...}, ...]}, and writes the texts as JSON.
import { readFileSync } from "node:fs";
import Handlebars from "handlebars";

const { template, values } = JSON.parse(readFileSync(0, "utf8"));
// Without options, as Jellyfin's plugin compiles it: "{{...}}" would escape for HTML.
const render = Handlebars.compile(template);
process.stdout.write(JSON.stringify(values.map((value) => render(value))));
