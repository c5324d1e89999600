import type { OtlpStrategy } from './options.ts'
import { unitWords } from './units.ts'

/**
 * Names of metrics and labels as Prometheus' OTLP translator writes them, under each of its four strategies.
 */
export interface NamedMetric {
  readonly name: string
  readonly unit: string
  readonly kind: 'monotonic_sum' | 'gauge' | 'other'
}

/** The name of a metric's series, without `_bucket` and the like; `undefined` when nothing of it is left. */
export function metricNameOf(metric: NamedMetric, strategy: OtlpStrategy): string | undefined {
  const name = BUILDERS[strategy](metric)
  return /^_*$/.test(name) ? undefined : name
}

const BUILDERS: Readonly<Record<OtlpStrategy, (metric: NamedMetric) => string>> = {
  UnderscoreEscapingWithSuffixes: escapedWithSuffixes,
  UnderscoreEscapingWithoutSuffixes: ({ name }) => withoutDigitInFront(wordsOf(name, /[^A-Za-z0-9:_]+/).join('_')),
  NoUTF8EscapingWithSuffixes: unescapedWithSuffixes,
  NoTranslation: ({ name }) => name,
}

/** Suffixes are compared word by word, so that `seconds.count` in seconds does not get a second `seconds`. */
function escapedWithSuffixes({ name, unit, kind }: NamedMetric): string {
  let words = wordsOf(name, /[^A-Za-z0-9:]+/)
  // A name must not consist of a unit only.
  if (words.length === 0) return ''
  const { main, per } = unitWords(unit)
  for (const word of [cleanUnit(main), cleanUnit(per)]) if (word !== '' && !words.includes(word)) words.push(word)
  const last = typeWord(kind, unit)
  if (last !== undefined) words = [...words.filter((word) => word !== last), last]
  return withoutDigitInFront(words.join('_'))
}

/** Leaves the name unescaped; suffixes that it already has move to their place, outermost last. */
function unescapedWithSuffixes({ name, unit, kind }: NamedMetric): string {
  if (name === '') return ''
  const { main, per } = unitWords(unit)
  const last = typeWord(kind, unit)
  let stem = last === undefined ? name : withoutEnd(name, last)
  if (per !== '') stem = withoutEnd(stem, per)
  if (main !== '' && !stem.endsWith(main)) stem = `${stem}_${main}`
  return [stem, per, last ?? ''].filter((part) => part !== '').join('_')
}

function typeWord(kind: NamedMetric['kind'], unit: string): string | undefined {
  if (kind === 'monotonic_sum') return 'total'
  return kind === 'gauge' && unit === '1' ? 'ratio' : undefined
}

/** Without the word and the one character before it. */
function withoutEnd(name: string, word: string): string {
  return name.endsWith(word) && name.length > word.length + 1 ? name.slice(0, -word.length - 1) : name
}

function wordsOf(name: string, separators: RegExp): string[] {
  return name.split(separators).filter((word) => word !== '')
}

function cleanUnit(word: string): string {
  return word
    .replace(/[^A-Za-z0-9:]+/g, '_')
    .replace(/_+/g, '_')
    .replace(/^_/, '')
}

function withoutDigitInFront(name: string): string {
  return /^\d/.test(name) ? `_${name}` : name
}

/** The label of an attribute. Strategies that keep UTF-8 leave keys unchanged. */
export function labelNameOf(key: string, strategy: OtlpStrategy): string {
  return strategy === 'NoTranslation' || strategy === 'NoUTF8EscapingWithSuffixes' ? key : escapedLabelName(key)
}

/** Preserves runs of `_`, as Prometheus does; OpenTelemetry's specification would collapse them. */
export function escapedLabelName(key: string): string {
  const name = key.replace(/[^A-Za-z0-9_]/gu, '_')
  if (/^\d/.test(name)) return `key_${name}`
  return /^_(?!_)/.test(name) ? `key${name}` : name
}
