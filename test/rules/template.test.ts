import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import type { QueryValue } from '../../src/promql/query-engine.ts'
import {
  compileTemplate,
  expandTemplate,
  isTemplate,
  isVolatile,
  type TemplateScope,
} from '../../src/rules/template.ts'
import { requirePeer } from '../support/peers.ts'
import { runPromtool, unquoteGo } from './promtool.ts'
import {
  CASE_EXTERNAL_LABELS,
  CASE_EXTERNAL_URL,
  CASE_LABELS,
  CASE_NOW_MS,
  CASE_VALUE,
  TEMPLATE_CASES,
} from './template-cases.ts'

const UP = [
  { labels: Labels.of({ __name__: 'up', job: 'a' }), value: 1, timeMs: CASE_NOW_MS },
  { labels: Labels.of({ __name__: 'up', job: 'b' }), value: 0, timeMs: CASE_NOW_MS },
]
const vector = (samples: typeof UP): QueryValue => ({ type: 'vector', timeMs: CASE_NOW_MS, samples })
const ANSWERS: Readonly<Record<string, QueryValue>> = {
  up: vector(UP),
  'up{job="a"}': vector([UP[0]!]),
  "up{job='a'}": vector([UP[0]!]),
  'up{job="b"}': vector([UP[1]!]),
  nothing_here: vector([]),
  'sum(up)': vector([{ labels: Labels.EMPTY, value: 1, timeMs: CASE_NOW_MS }]),
  ver: vector([{ labels: Labels.of({ __name__: 'ver', __value__: 'v1' }), value: 3, timeMs: CASE_NOW_MS }]),
}

function scope(): TemplateScope & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    nowMs: CASE_NOW_MS,
    externalUrl: CASE_EXTERNAL_URL,
    externalLabels: CASE_EXTERNAL_LABELS,
    asked,
    answers: new Map(),
    query: async (expr) => {
      asked.push(expr)
      const answer = ANSWERS[expr]
      if (answer === undefined) throw new Error(`1:4: parse error: ${expr}`)
      return Promise.resolve(answer)
    },
  }
}

async function expand(text: string, within: TemplateScope = scope()): Promise<string> {
  const template = compileTemplate(text)
  if (!isTemplate(template)) return `refused at ${template.from}-${template.to}: ${template.message}`
  return expandTemplate(template, { labels: CASE_LABELS, value: CASE_VALUE }, within)
}

describe('expandTemplate', () => {
  test.each(TEMPLATE_CASES.filter(({ text }) => text !== '{{ query "up" | first | value }}'))(
    '$text',
    async ({ text, want }) => {
      const got = await expand(text)
      if (want === undefined) expect(got).toMatch(/^<error expanding template: ./)
      else expect(got).toBe(want)
    },
  )

  test('promtool expands them to the same texts', (context) => {
    const promtool = requirePeer('promtool', context)
    const cases = TEMPLATE_CASES.filter(({ notIn242 }) => notIn242 === undefined)
    const got = expandByPromtool(
      promtool,
      cases.map(({ text }) => text),
    )
    const differences = cases.flatMap(({ text, want }, i) => {
      const theirs = got[i]
      const isSame = want === undefined ? theirs?.startsWith('<error expanding template: ') : theirs === want
      return isSame === true ? [] : [{ text, want, theirs }]
    })
    expect(differences).toEqual([])
  })

  test('a query is asked once for all templates of an evaluation', async () => {
    const within = scope()
    await expand('{{ query "up" | len }}{{ query "up" | len }}', within)
    await expand('{{ query "up" | len }}', within)
    expect(within.asked).toEqual(['up'])
  })

  test.each([
    [
      'an endless loop',
      '{{ define "l" }}{{ range 1000 }}{{ template "l" }}{{ end }}{{ end }}{{ template "l" }}',
      /depth/,
    ],
    [
      'a long loop',
      '{{ range 1000 }}{{ range 1000 }}x{{ end }}{{ end }}',
      /more than \d+ (steps|characters)|longer than/,
    ],
    ['a huge width', '{{ printf "%1000000000d" 1 }}', /width or precision/],
    ['a long text to search', '{{ match "a" (printf "%10000d" 1 | printf "%s%s" "b") }}', /text of 10001 characters/],
    ['a huge range', '{{ range 99999999999999 }}{{ end }}', /steps/],
    ['too many queries', '{{ range 100 }}{{ query (printf "q%d" .) }}{{ end }}', /error calling query/],
  ])('%s is stopped', async (_, text, message) => {
    const got = await expand(text)
    expect(got).toMatch(/^<error expanding template: /)
    expect(got).toMatch(message)
  })

  test('a pattern that would run away does not', async () => {
    const text = `{{ match "^(a+)+$" "${'a'.repeat(60)}b" }} {{ reReplaceAll "(a|aa)+$" "x" "${'a'.repeat(60)}b" | len }}`
    expect(await expand(text)).toBe('false 61')
  })

  test('the comparison everybody gets wrong is explained', async () => {
    expect(await expand('{{ if gt $value 10 }}x{{ end }}')).toBe(
      '<error expanding template: error calling gt: incompatible types for comparison (float64 and int): write the number with a point, like 10.0>',
    )
  })
})

describe('compileTemplate', () => {
  test.each([
    ['{{ $value', '{{ $value', 'unclosed action'],
    ['a {{ if true }} b', '{{', 'unexpected EOF: {{if}} has no {{end}}'],
    ['{{ end }}', 'end', 'unexpected {{end}}'],
    ['{{ else }}', 'else', 'unexpected {{else}}'],
    ['{{ if true }}{{ else }}{{ else }}{{ end }}', 'else', 'expected end; found {{else}}'],
    ['{{ humanise $value }}', 'humanise', 'function "humanise" not defined'],
    ['{{ $lables.x }}', '$lables', 'undefined variable "$lables"'],
    ['{{ if true }}{{ $x := 1 }}{{ end }}{{ $x }}', '$x', 'undefined variable "$x"'],
    ['{{ $x = 1 }}', '$x', 'undefined variable "$x"'],
    ['{{ define "a" }}{{ $value }}{{ end }}', '$value', 'undefined variable "$value"'],
    ['{{ }}', '}}', 'missing value for command'],
    ['{{ if }}{{ end }}', '}}', 'missing value for if'],
    ['{{ | len }}', '|', 'empty command'],
    ['{{ $value | }}', '|', 'missing command after |'],
    ['{{ 1 | 2 }}', '2 ', 'non executable command in pipeline stage 2'],
    ['{{ $value > 1 }}', '>', 'unexpected ">" in action'],
    ['{{ $value * 2 }}', '*', 'unexpected "*" in action'],
    ["{{ 'ab' }}", "'ab'", "malformed character constant: 'ab'"],
    ['{{ "ab }}', '"ab }}', 'unterminated quoted string'],
    ['{{ `ab }}', '`ab }}', 'unterminated raw quoted string'],
    ['{{ "\\q" }}', '\\q', 'bad escape in string: \\q'],
    ['{{ (1 }}', '}}', 'unexpected "}}" in parenthesized pipeline'],
    ['{{ 1) }}', ')', 'unexpected ")" in command'],
    ['{{ 12ab }}', '12a', 'bad number syntax: "12a"'],
    ['{{ 0x }}', '0x', 'bad number syntax: "0x"'],
    ['{{ 99999999999999999999 }}', '99999999999999999999', 'integer overflow'],
    ['{{ "a".b }}', '.b', 'unexpected .b after a constant'],
    ['{{ "a""b" }}', '"b"', 'unexpected "b" in operand'],
    ['{{ break }}', 'break', '{{break}} outside {{range}}'],
    ['{{ $a, $b := 1 }}', '$a,', 'too many declarations'],
    ['{{/* a }}', '{{/* a }}', 'unclosed comment'],
    ['{{/* a */ b }}', '{{/* a */', 'comment ends before closing delimiter'],
    ['{{ template x }}', 'x', 'unexpected "x" in template clause'],
    ['{{ if true }}{{ define "x" }}{{ end }}{{ end }}', '{{', 'unexpected {{define}}'],
    ['{{ if true }}'.repeat(200), '{{', 'nested deeper than 100'],
  ])('%s is refused where it is wrong', (text, at, message) => {
    const problem = compileTemplate(text)
    if (isTemplate(problem)) throw new Error('it was taken')
    expect(problem.message).toBe(message)
    expect(text.slice(problem.from, problem.to)).toBe(at)
  })

  test('promtool refuses the same ones', (context) => {
    const promtool = requirePeer('promtool', context)
    const refused = [
      '{{ $value',
      '{{ humanise $value }}',
      '{{ $lables.x }}',
      '{{ $value > 1 }}',
      '{{ end }}',
      '{{ 1 | 2 }}',
      "{{ 'ab' }}",
      '{{ break }}',
      '{{ }}',
      '{{ "a""b" }}',
      '{{ $a, $b := 1 }}',
      '{{/* a */ b }}',
    ]
    const wronglyTaken = refused.filter((text) => {
      const rules = { groups: [{ name: 'g', rules: [{ alert: 'A', expr: 'up', annotations: { a: text } }] }] }
      return runPromtool(promtool, { 'r.yaml': JSON.stringify(rules) }, ['check', 'rules', 'r.yaml']).isGood
    })
    expect(wronglyTaken).toEqual([])
  })

  test('a text without actions costs nothing and is never volatile', () => {
    const plain = compileTemplate('no braces')
    expect(plain).toEqual({ text: 'no braces', tree: undefined })
    const volatile = ['{{ query "up" | len }}', '{{ now }}', '{{ $value }}'].map((text) => {
      const template = compileTemplate(text)
      return isTemplate(template) && isVolatile(template)
    })
    expect(volatile).toEqual([true, true, false])
  })
})

/** Each text as an annotation of one firing alert; the test is made to fail, because only then promtool shows them. */
function expandByPromtool(promtool: string, texts: readonly string[]): (string | undefined)[] {
  const annotations = Object.fromEntries(texts.map((text, i) => [`t${i}`, text]))
  const labels = Object.entries(CASE_LABELS)
    .slice(1)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const rules = { groups: [{ name: 'g', rules: [{ alert: 'A', expr: 'subject', annotations }] }] }
  const tests = {
    rule_files: ['r.yaml'],
    tests: [
      {
        interval: '1m',
        external_labels: CASE_EXTERNAL_LABELS,
        external_url: CASE_EXTERNAL_URL,
        input_series: [
          { series: `subject{${labels.join(',')}}`, values: String(CASE_VALUE) },
          { series: 'up{job="a"}', values: '1' },
          { series: 'up{job="b"}', values: '0' },
          { series: 'ver{__value__="v1"}', values: '3' },
        ],
        alert_rule_test: [{ eval_time: '0m', alertname: 'A', exp_alerts: [] }],
      },
    ],
  }
  const files = { 'r.yaml': JSON.stringify(rules), 't.yaml': JSON.stringify(tests) }
  const { output } = runPromtool(promtool, files, ['test', 'rules', 't.yaml'])
  const found = new Map(
    [...output.matchAll(/\b(t\d+)=("(?:[^"\\]|\\.)*")/g)].map(([, name, quoted]) => [name!, unquoteGo(quoted!)]),
  )
  expect(found.size, output).toBe(texts.length)
  return texts.map((_, i) => found.get(`t${i}`))
}
