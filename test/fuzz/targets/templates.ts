import { Labels } from '../../../src/model/labels.ts'
import type { Message } from '../../../src/notify/message.ts'
import { TemplateSet, TemplateSyntaxError } from '../../../src/notify/template-set.ts'
import { compileTemplate, expandTemplate, isTemplate, type TemplateScope } from '../../../src/rules/template.ts'
import { TemplateError } from '../../../src/template/value.ts'
import { pick, type Random } from '../mutate.ts'
import { NOTHING_TO_CLOSE, oneByOne, TEXT, type Target } from '../target.ts'

/** Go templates of rules and of notifications, drawn from their grammar and then changed word by word. */

const NOW_MS = 1_787_220_000_000
/** What a notification may be long; an annotation may be shorter. */
const TEXT_CHARS_MAX = 2_000_000
const LABELS = { alertname: 'A', cluster: 'fra-1', pod: 'virt-<b>"&', empty: '' }

const TEXTS = [
  '',
  'a',
  'fra-1',
  '%d %s',
  '%5.2f',
  'Mon Jan 2',
  '(a|b)*',
  '.*',
  '<b>',
  'cluster',
  '5m',
  'é😀',
  'x'.repeat(60),
]
const NUMBERS = ['0', '1', '-1', '1.5', '1e9', '0x1F', '1e308', '100000', '9223372036854775807', "'a'"]
const DATA = {
  rules: ['.Labels', '.Value', '$labels', '$labels.pod', '$value', '$externalURL', '.ExternalLabels', '$labels.nope'],
  notify: [
    '.Alerts',
    '.Alerts.Firing',
    '.CommonLabels',
    '.GroupLabels.SortedPairs',
    '.ExternalURL',
    '.Status',
    '.Nope',
  ],
}
const FUNCTIONS = {
  rules: (
    'and or not eq ne lt le gt ge len index slice print println printf html js urlquery call query first label value ' +
    'strvalue sortByLabel humanize humanize1024 humanizeDuration humanizePercentage humanizeTimestamp toTime toDuration ' +
    'parseDuration now title toUpper toLower match reReplaceAll stripPort stripDomain safeHtml graphLink tableLink ' +
    'externalURL pathPrefix args'
  ).split(' '),
  notify: (
    'and or not eq ne lt len index slice print printf html js urlquery toUpper toLower title trimSpace join match ' +
    'reReplaceAll safeHtml safeUrl urlUnescape stringSlice list append dict toJson date tz since humanizeDuration'
  ).split(' '),
} as const

type Kind = keyof typeof DATA

class TemplateWriter {
  readonly #random: Random
  readonly #kind: Kind

  constructor(random: Random, kind: Kind) {
    this.#random = random
    this.#kind = kind
  }

  #pick<T>(items: readonly T[]): T {
    return pick(this.#random, items)
  }

  block(depth: number): string {
    let text = ''
    for (let i = this.#random(4); i >= 0; i--) text += this.#node(depth)
    return text
  }

  #node(depth: number): string {
    switch (depth <= 0 ? this.#random(3) : this.#random(10)) {
      case 0:
        return this.#pick(['text ', '\n', ' {{/* c */}} ', '<i>', ''])
      case 1:
      case 2:
        return `{{${this.#trim()}${this.#pipe(depth)}${this.#trim()}}}`
      case 3:
        return `{{if ${this.#pipe(depth)}}}${this.block(depth - 1)}{{else}}${this.block(depth - 1)}{{end}}`
      case 4:
        return `{{with ${this.#pipe(depth)}}}${this.block(depth - 1)}{{end}}`
      case 5:
        return `{{range $i, $x := ${this.#pipe(depth)}}}${this.block(depth - 1)}{{else}}none{{end}}`
      case 6:
        return `{{range ${this.#pick(['3', '3', '3', '100', '.', this.#pipe(depth), this.#random(8) === 0 ? '100000' : '2'])}}}${this.block(depth - 1)}{{end}}`
      case 7:
        return `{{template "t" ${this.#operand(depth)}}}`
      case 8:
        return `{{$v${this.#random(4)} = ${this.#pipe(depth)}}}`
      default: {
        // A value that grows with each round.
        const v = `$v${this.#random(4)}`
        const grown = this.#pick([`print ${v} ${v}`, `append ${v} ${v}`, `printf "%s%s" ${v} ${v}`, `list ${v} ${v}`])
        return `{{range ${this.#pick(['3', '3', '40', '500'])}}}{{${v} = ${grown}}}{{end}}`
      }
    }
  }

  #trim(): string {
    return this.#pick(['', '', '', '- ', ' -'])
  }

  #pipe(depth: number): string {
    let pipe = this.#call(depth)
    while (this.#random(3) === 0) pipe += ` | ${this.#pick(FUNCTIONS[this.#kind])}`
    return pipe
  }

  #call(depth: number): string {
    if (this.#random(3) === 0) return this.#operand(depth)
    const args = Array.from({ length: this.#random(4) }, () => this.#operand(depth - 1))
    return [this.#pick(FUNCTIONS[this.#kind]), ...args].join(' ')
  }

  #operand(depth: number): string {
    switch (this.#random(depth > 0 ? 6 : 5)) {
      case 0:
        return JSON.stringify(this.#pick(TEXTS))
      case 1:
        return this.#pick(NUMBERS)
      case 2:
        return this.#pick(DATA[this.#kind])
      case 3:
        return this.#pick(['.', '$', 'true', 'nil', `$v${this.#random(4)}`])
      case 4:
        return this.#pick(DATA[this.#kind])
      default:
        return `(${this.#pipe(depth - 1)})`
    }
  }
}

/** Words of templates; a change swaps, repeats or drops some. */
const WORDS = /\{\{-?|-?\}\}|"(?:[^"\\]|\\.)*"|[\w$.]+|\s+|./gsu
const ODD = [
  '{{',
  '}}',
  '{{end}}',
  '{{else}}',
  '|',
  '(',
  ')',
  ':=',
  '"',
  '`',
  "'",
  '$',
  '.',
  '%!',
  '{{-',
  '\\',
  '\0',
  '{{break}}',
]

function changed(random: Random, text: string): string {
  let words: string[] = text.match(WORDS) ?? []
  for (let i = random(4); i > 0 && words.length > 0; i--) {
    const at = random(words.length)
    const change = random(4)
    if (change === 0) words = words.toSpliced(at, 1 + random(3))
    else if (change === 1) words = words.toSpliced(at, 0, pick(random, ODD))
    else if (change === 2) words = words.with(at, words[random(words.length)]!)
    else words = words.toSpliced(at, 0, ...words.slice(at, at + random(6)))
  }
  return words.join('')
}

/** What every template has, so that few are refused for want of it. */
const DECLARED = '{{define "t"}}<{{.}}>{{end}}{{$v0 := "a"}}{{$v1 := 1}}{{$v2 := .}}{{$v3 := 1.5}}'

function templateOf(random: Random, kind: Kind): string {
  const text = DECLARED + new TemplateWriter(random, kind).block(1 + random(4))
  const deep = random(500) === 0 ? 5000 : 0
  const whole = deep === 0 ? text : `{{${'('.repeat(deep)}1${')'.repeat(deep)}}}${text}`
  return random(3) === 0 ? changed(random, whole) : whole
}

const rules: Target<string> = {
  name: 'templates-rules',
  claim: 'A template of a rule is refused at a place inside of it, or expands to a bounded text.',
  inputs: { suite: 200, long: 70_000 },
  shares: { expanded: 0.04, refused: 0.05 },
  open: () => ({
    make: (random) => templateOf(random, 'rules'),
    check: oneByOne(async (text) => {
      const template = compileTemplate(text)
      if (!isTemplate(template)) {
        const { from, to } = template
        if (!(from >= 0 && from <= to && from <= text.length)) throw new Error(`refused at ${from} to ${to}`)
        return 'refused'
      }
      const scope: TemplateScope = {
        ...{ nowMs: NOW_MS, externalUrl: 'https://d.example', externalLabels: { region: 'eu' }, answers: new Map() },
        query: () =>
          Promise.resolve({
            ...{ type: 'vector', timeMs: NOW_MS },
            samples: ['a', 'b'].map((pod) => ({ labels: Labels.of({ pod }), timeMs: NOW_MS, value: 1 })),
          }),
      }
      const expanded = await expandTemplate(template, { labels: LABELS, value: 1.5 }, scope)
      if (expanded.length > TEXT_CHARS_MAX) throw new Error(`expands to ${expanded.length} characters`)
      return expanded.startsWith('<error') ? 'failed' : 'expanded'
    }),
    ...TEXT,
    ...NOTHING_TO_CLOSE,
  }),
}

const MESSAGE: Message = {
  ...{
    receiver: 'oncall',
    groupKey: '{}:{}',
    externalUrl: 'https://d.example',
    nowMs: NOW_MS,
    repeatIntervalMs: 60_000,
  },
  groupLabels: Labels.of({ alertname: 'A' }),
  truncatedAlerts: 0,
  alerts: (['firing', 'resolved'] as const).map((status) => ({
    ...{ status, labels: Labels.of({ ...LABELS, status }), annotations: { summary: 'a <b> & "c"' }, value: 1 },
    ...{ startsAtMs: NOW_MS - 60_000, endsAtMs: NOW_MS, generatorUrl: '/graph', fingerprint: 'ab', threshold: '> 1' },
  })),
}

const notify: Target<string> = {
  name: 'templates-notify',
  claim: 'A template of a receiver is refused, fails with a reason, or expands to a bounded text.',
  inputs: { suite: 200, long: 70_000 },
  shares: { expanded: 0.04, refused: 0.05 },
  open: () => ({
    make: (random) => templateOf(random, 'notify'),
    check: oneByOne((text) => {
      try {
        const set = new TemplateSet()
        for (const expanded of [set.text(text, MESSAGE), set.html(text, MESSAGE)])
          if (expanded.length > TEXT_CHARS_MAX) throw new Error(`expands to ${expanded.length} characters`)
        return 'expanded'
      } catch (thrown) {
        if (thrown instanceof TemplateSyntaxError) return 'refused'
        if (thrown instanceof TemplateError) return 'failed'
        throw thrown
      }
    }),
    ...TEXT,
    ...NOTHING_TO_CLOSE,
  }),
}

export const TEMPLATES = [rules, notify]
