// Returns the violations that axe-core finds, with a line for each element. The lines leave out the
// text of the page, because it can be a secret.
const done = arguments[0];
const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
axe
  .run(document, { runOnly: { type: "tag", values }, resultTypes: ["violations"] })
  .then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target}: ${failureSummary}`),
    ),
  )
  .then(done, (error) => done([String(error)]));
