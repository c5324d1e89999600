/**
 * Variables in texts of a dashboard: `$name`, `${name}`, `${name:format}`. In PromQL a value is written as its context
 * requires: in a matcher with `=~` it is escaped as a pattern and several become alternatives, in other strings its quotes
 * are escaped. The value for all values, and user input, are patterns and are not escaped. Pure.
 */

export interface VariableValue {
  readonly values: readonly string[]
  /** A pattern: user input, or the file's own for all values. */
  readonly isPattern: boolean
}

export type VariableValues = ReadonlyMap<string, VariableValue>

const USE = /\$(\w+)|\$\{(\w+)(?:\.[^:}]+)?(?::([^}]+))?\}/g

/** Names that are used in a text, each once. */
export function variablesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(USE)].map(([, bare, braced]) => bare ?? braced ?? ''))]
}

/** For PromQL and selectors. An unknown name is left to the server's error. */
export function interpolatePromql(text: string, values: VariableValues): string {
  return text.replace(
    USE,
    (use, bare: string | undefined, braced: string | undefined, format: string | undefined, at) => {
      const value = values.get(bare ?? braced ?? '')
      if (value === undefined) return use
      const written = FORMATS[format ?? '']
      if (written !== undefined) return written(value.values)
      return inPromql(value, placeOf(text.slice(0, at as number)))
    },
  )
}

/** For texts, and for addresses with `percentencode`. */
export function interpolateText(text: string, values: VariableValues, otherwise = 'text'): string {
  return text.replace(USE, (use, bare: string | undefined, braced: string | undefined, format: string | undefined) => {
    const value = values.get(bare ?? braced ?? '')
    return value === undefined ? use : (FORMATS[format ?? ''] ?? FORMATS[otherwise]!)(value.values)
  })
}

type Place = 'pattern' | 'string' | 'plain'

/** Where the end of `before` is: inside a quoted string after `=~` or `!~`, inside another string, or outside. */
function placeOf(before: string): Place {
  let quote = ''
  let opened = 0
  for (let at = 0; at < before.length; at++) {
    const char = before[at]!
    if (quote !== '') {
      if (char === '\\' && quote !== '`') at++
      else if (char === quote) quote = ''
    } else if (char === '"' || char === "'" || char === '`') {
      quote = char
      opened = at
    } else if (char === '#') {
      const end = before.indexOf('\n', at)
      if (end === -1) return 'plain'
      at = end
    }
  }
  if (quote === '') return 'plain'
  return /[=!]~\s*$/.test(before.slice(0, opened)) ? 'pattern' : 'string'
}

function inPromql({ values, isPattern }: VariableValue, place: Place): string {
  switch (place) {
    case 'pattern': {
      const patterns = values.map((value) => escapeString(isPattern ? value : escapePattern(value)))
      return patterns.length === 1 ? patterns[0]! : `(${patterns.join('|')})`
    }
    case 'string':
      return values.map(escapeString).join('|')
    case 'plain':
      return values.join(',')
  }
}

function escapePattern(value: string): string {
  return value.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

function escapeString(text: string): string {
  return text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
}

type Write = (values: readonly string[]) => string

const quoted =
  (quote: string): Write =>
  (values) =>
    values.map((value) => `${quote}${value.replaceAll(quote, `\\${quote}`)}${quote}`).join(',')

/** Perses' formats. */
const FORMATS: Readonly<Record<string, Write>> = {
  csv: (values) => values.join(','),
  distributed: (values) => values.join(','),
  doublequote: quoted('"'),
  glob: (values) => (values.length === 1 ? values[0]! : `{${values.join(',')}}`),
  json: (values) => JSON.stringify(values),
  lucene: (values) => (values.length === 1 ? values[0]! : `(${values.map((value) => `"${value}"`).join(' OR ')})`),
  percentencode: (values) => encodeURIComponent(values.join(',')),
  pipe: (values) => values.join('|'),
  prometheus: (values) => (values.length === 1 ? values[0]! : `(${values.join('|')})`),
  queryparam: (values) => values.map((value) => encodeURIComponent(value)).join('&'),
  raw: (values) => values.join(','),
  regex: (values) => {
    const patterns = values.map((value) => escapeString(escapePattern(value)))
    return patterns.length === 1 ? patterns[0]! : `(${patterns.join('|')})`
  },
  singlequote: quoted("'"),
  sqlstring: (values) => values.map((value) => `'${value.replaceAll("'", "''")}'`).join(','),
  text: (values) => values.join(' + '),
}
