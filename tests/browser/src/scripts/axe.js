// Returns the violations that axe-core finds, with a line for each element. The lines leave out the
// text of the page, because it can be a secret.
const [dark, done] = arguments;
// The dark scheme has other values of the colors, and all else is the same.
const runOnly = dark
  ? { type: "rule", values: ["color-contrast", "link-in-text-block"] }
  : { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
axe
  .run(document, { runOnly, resultTypes: ["violations"] })
  .then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target}: ${failureSummary}`),
    ),
  )
  .then(done, (error) => done([String(error)]));
