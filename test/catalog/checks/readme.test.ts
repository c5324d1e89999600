import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { CATALOG_CHECKS } from '../../../src/catalog/checks/catalog-checks.ts'
import { RULE_CHECKS } from '../../../src/rules/checks/rule-checks.ts'

const INTRO = `# The checks of \`daytwo lint\`

Each check documents itself in its file. This page is generated from there with \`npx vitest run
test/catalog/checks/readme.test.ts -u\`.

Checks of rules, of their unit tests and of PromQL in any file are in \`src/rules/checks/\`. Checks that need pages or
dashboards are in \`src/catalog/checks/\`, because \`rules\` does not import \`catalog\`. A check has a name, a severity, a
reason, a fix, an example, and a function from the content to findings; \`rule-content.ts\` and \`catalog-content.ts\`
define the content. Add a new check to the list in \`rule-checks.ts\` or \`catalog-checks.ts\`, and a defect to
\`test/catalog/checks/planted-defects.test.ts\`, which fails for a check without findings.

- **Errors and warnings** make \`daytwo lint\` exit with 1, informational findings do not. An error is always wrong; a warning
  may be intended, and is then suppressed with a reason.
- **Known metrics** are those in \`src/rules/metrics/\` (sent by clusters), those of this server, and those that the loaded
  rules record, with labels computed from their expressions (\`label-set.ts\`).
- **Numbers in texts** are compared only in phrases about the rule: "for 10 minutes", "in the last hour", "above 90%"
  (\`claims.ts\`).
- **Suppressions** have a check and a reason: \`# daytwo-lint: ignore CHECK: reason\` in YAML,
  \`<!-- daytwo-lint: ignore CHECK: reason -->\` in Markdown. At the end of a line, a suppression applies to that line. On a
  line of its own, it applies to the next item or key, paragraph or fence; before a heading, to the section.

Not checked, on purpose: whether external links work, whether unit tests pass (\`daytwo test rules\` runs them), and style.
`

const fenceOf = (text: string): string => (text.includes('```') ? '````' : '```')

function render(): string {
  const rules = new Set<string>(RULE_CHECKS.map(({ name }) => name))
  const sections = CATALOG_CHECKS.map(({ name, title, severity, why, fix, example }) => {
    const what = rules.has(name) ? 'rules' : name === 'suppression' ? 'all files' : 'pages and dashboards'
    const fence = fenceOf(example)
    return `## ${name}\n\n**${title}.** ${severity}; ${what}.\n\n${why}\n\n${fix}\n\n${fence}\n${example}\n${fence}\n`
  })
  return [INTRO, ...sections].join('\n')
}

test('the README of the checks is up to date', async () => {
  await expect(render()).toMatchFileSnapshot(resolve(import.meta.dirname, '../../../src/rules/checks/README.md'))
})
