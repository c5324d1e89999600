import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { CATALOG_CHECKS } from '../../../src/catalog/checks/catalog-checks.ts'
import { RULE_CHECKS } from '../../../src/rules/checks/rule-checks.ts'

const INTRO = `# The checks of \`daytwo lint\`

What a check says of itself stands in its file, and this page is written from there: \`npx vitest run
test/catalog/checks/readme.test.ts -u\`.

Checks of rules, of their tests and of PromQL wherever it stands are in \`src/rules/checks/\`. Those that must know pages
or dashboards are in \`src/catalog/checks/\`: \`rules\` does not import \`catalog\`. A check is a name, a severity, why,
how to mend it, an example, and a function from the content to places in it; \`rule-content.ts\` and
\`catalog-content.ts\` say what it is given. Add one to the list in \`rule-checks.ts\` or \`catalog-checks.ts\`, and a
defect to \`test/catalog/checks/planted-defects.test.ts\`: a check that finds none fails that test.

- **Errors and warnings end \`daytwo lint\` with 1**, remarks do not. An error is wrong whatever was meant; a warning may
  be meant, and is then suppressed with the reason.
- **Metrics** are those of \`src/rules/metrics/\` (what clusters send), of this server's registry, and what the loaded
  rules record, with labels worked out from their expressions (\`label-set.ts\`).
- **Numbers in texts** are compared only where a phrase says that they are the rule's: "for 10 minutes", "in the last
  hour", "above 90%" (\`claims.ts\`).
- **Suppressions** name a check and a reason: \`# daytwo-lint: ignore CHECK: reason\` in YAML,
  \`<!-- daytwo-lint: ignore CHECK: reason -->\` in Markdown. At the end of a line they cover the line, on a line of
  their own what follows: the item or key, the paragraph or fence, before a heading its section.

Absent on purpose: asking the network whether a link answers, running the unit tests (\`daytwo test rules\` does), and
opinions about style.
`

const fenceOf = (text: string): string => (text.includes('```') ? '````' : '```')

function render(): string {
  const rules = new Set<string>(RULE_CHECKS.map(({ name }) => name))
  const sections = CATALOG_CHECKS.map(({ name, title, severity, why, mend, example }) => {
    const what = rules.has(name) ? 'rules' : name === 'suppression' ? 'all files' : 'pages and dashboards'
    const fence = fenceOf(example)
    return `## ${name}\n\n**${title}.** ${severity}; ${what}.\n\n${why}\n\n${mend}\n\n${fence}\n${example}\n${fence}\n`
  })
  return [INTRO, ...sections].join('\n')
}

test('the page of the checks is the one the checks write', async () => {
  await expect(render()).toMatchFileSnapshot(resolve(import.meta.dirname, '../../../src/rules/checks/README.md'))
})
