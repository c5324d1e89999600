import { bindRunbook } from '../../../src/catalog/bind-runbook.ts'
import { whyNotBindable } from '../../../src/base/quoting.ts'
import { parseRunbookPage } from '../../../src/catalog/runbook-page.ts'
import { Labels } from '../../../src/model/labels.ts'
import { pick, type Random } from '../mutate.ts'
import type { ShownInput } from '../shown-input.ts'
import { openShownPages } from '../shown-page.ts'
import { simplerText, type Target } from '../target.ts'

interface PageInput {
  /** A runbook with placeholders. */
  readonly page: string
  /** The labels `name` and `node`. */
  readonly values: readonly [string, string]
  /** Markdown of a dashboard, by a stranger. */
  readonly text: string
}

const SCRIPTS = [
  '<script>window.ran=1</script>',
  '<img src=x onerror="window.ran=2">',
  '<svg onload=window.ran=3>',
  '<a href="javascript:window.ran=4">x</a>',
  '<iframe srcdoc="<script>parent.ran=5</script>"></iframe>',
  '[x](javascript:window.ran=6)',
  '[x](JaVaScRiPt:window.ran=7)',
  '[x](java\nscript:window.ran=8)',
  '[x](data:text/html,<script>window.ran=9</script>)',
  '![x](http://evil.example/a.png)',
  '[x](//evil.example)',
  '[x](\\\\evil.example)',
  '<http://evil.example>',
  '<javascript:window.ran=10>',
  '[x]: javascript:window.ran=11\n\n[x]',
  '[x](&#106;avascript:window.ran=12)',
  '[x](vbscript:x)',
  '<style>@import "http://evil.example"</style>',
  '<base href="http://evil.example/">',
  '<form action="javascript:window.ran=13"><button>x</button></form>',
  '"><script>window.ran=14</script>',
  "' onmouseover='window.ran=15",
  '`<img src=x onerror=window.ran=16>`',
  '<math><mtext><img src=x onerror=window.ran=17>',
  'javascript:window.ran=18',
  ' javascript:window.ran=19',
  'http://evil.example/" onclick="window.ran=20',
  'https://user:pass@evil.example/\u202e',
]
const MARKS = [
  ...[
    '*',
    '**',
    '_',
    '`',
    '```',
    '~~~',
    '# ',
    '## ',
    '> ',
    '- ',
    '1. ',
    '|',
    '\n',
    '\n\n',
    '---\n',
    '    ',
    '\\',
    '&lt;',
    '&',
  ],
  ...[
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '!',
    '~~',
    ':',
    'www.a.b',
    'a@b.c',
    'http://a.b',
    'a',
    ' ',
    'é',
    '😀',
    '\u0000',
    '\u202e',
  ],
  ...[
    '| a | b |\n|---|---|\n| c | d |\n',
    '- [x] a\n',
    '```bash kubectl\nls\n```\n',
    '```promql\nup\n```\n',
    'a\n===\n',
  ],
]

function markdownOf(random: Random): string {
  let text = ''
  for (let i = random(12); i >= 0; i--) text += random(4) === 0 ? pick(random, SCRIPTS) : pick(random, MARKS)
  return text
}

/** Values of labels have no line breaks; a page is written by the operator's people. */
function valueOf(random: Random): string {
  // A paragraph of blanks is none, and emphasis neither begins nor ends with one.
  return (
    markdownOf(random)
      .replace(/[\p{Cc}\u202e]/gu, '')
      .trim() || 'a'
  )
}

/** Places of a page that a value may be in. */
const PLACES = [
  'On {{name}} and {{node}}.',
  '{{name}}',
  '- {{name}}\n- x{{node}}',
  '1. {{name}}',
  '> {{name}}',
  '**{{name}}** _{{node}}_',
  'In `{{name}}` and ``{{node}}``.',
  '| a | b |\n|---|---|\n| {{name}} | x{{node}}x |',
  '[x](/rb/A?c={{name}})',
  '[{{name}}](/clusters/{{node}})',
  '```bash kubectl\nkubectl get vm {{name}} -n "{{node}}"\n```',
  "```bash\necho '{{name}}' # {{node}}\n```",
  'Query:\n\n```promql live\nup{a="{{name}}", b=~"{{node}}"}\n```',
  '### About {{name}}',
]

function pageOf(random: Random): string {
  const parts = Array.from({ length: 1 + random(4) }, () => pick(random, PLACES)).join('\n\n')
  return `# A\n\n## Meaning\n\n${parts}\n\n## Impact\n\n{{name}}\n`
}

/** Values that are no markup whoever reads them. */
const PLAIN = ['zNAMEz', 'zNODEz'] as const

function shownOf({ page, values, text }: PageInput, [name, node]: readonly [string, string] = values): ShownInput {
  const labels = Labels.of({ alertname: 'A', cluster: 'fra-1', name, node })
  const bound = bindRunbook(parseRunbookPage('runbooks/A.md', page).page, {
    alert: { labels, value: 1, activeAtMs: 0 },
  })
  const instance = {
    ...{ fingerprint: '0'.repeat(16), cluster: name, severity: node, healthImpact: 'none', state: 'firing' as const },
    ...{ activeAtMs: 0, value: 1, labels: { name, node } },
  }
  return {
    bound: { name: 'A', askedName: name, isRenamed: true, ...bound, instance, instances: [instance], panels: [] },
    labels: [
      ['cluster', name],
      [node, name],
      ['__name__', node],
    ],
    text,
  }
}

const shownPages: Target<PageInput> = {
  name: 'shown-pages',
  claim:
    'In a real browser no text runs, loads or leads anywhere it may not, and a value does not change the page around it.',
  inputs: { suite: 120, long: 20_000 },
  batch: 40,
  sessionInputs: 20_000,
  shares: { 'same shape': 0.3 },
  open: async () => {
    const pages = await openShownPages()
    return {
      make: (random) => ({
        page: pageOf(random),
        values: [valueOf(random), valueOf(random)],
        text: markdownOf(random),
      }),
      check: async (inputs) => {
        const shown = await pages.show([
          ...inputs.map((input) => shownOf(input)),
          ...inputs.map((input) => shownOf(input, PLAIN)),
        ])
        const events = pages.takeEvents()
        if (events.length > 0) throw new Error(`the page: ${events.join('; ')}`)
        return inputs.map(({ values }, i) => {
          const [page, plain] = [shown[i]!, shown[inputs.length + i]!]
          if (page.faults.length > 0) throw new Error(`the page: ${page.faults.join('; ')}`)
          // A value that is not put into a page leaves its placeholder open.
          if (values.some((value) => whyNotBindable(value) !== undefined)) return 'open'
          if (page.shape !== plain.shape) throw new Error(`the page has ${page.shape}, want ${plain.shape}`)
          return 'same shape'
        })
      },
      simpler: function* ({ page, values: [name, node], text }) {
        for (const simpler of simplerText(text)) yield { page, values: [name, node], text: simpler }
        for (const simpler of simplerText(name)) {
          if (simpler.trim() === simpler && simpler !== '') yield { page, values: [simpler, node], text }
        }
        for (const simpler of simplerText(node)) {
          if (simpler.trim() === simpler && simpler !== '') yield { page, values: [name, simpler], text }
        }
      },
      show: (input) => JSON.stringify(input),
      close: pages.close,
    }
  },
}

export const SHOWN_PAGES = [shownPages]
