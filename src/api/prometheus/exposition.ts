import { formatGoFloat } from '../../base/go-float.ts'

/** Prometheus' text format 0.0.4, as `/federate` needs it: samples without a known type, with their times. */

/** How names that only Prometheus 3 accepts are written: the value of `escaping` in Accept and Content-Type. */
const ESCAPINGS = ['underscores', 'dots', 'values', 'allow-utf-8'] as const
export type Escaping = (typeof ESCAPINGS)[number]

/** The escaping that a scraper requests: that of the text format's media range with the highest weight. */
export function negotiateEscaping(accept: string | undefined): Escaping {
  const ranges = (accept ?? '').split(',').map((text) => {
    const [type = '', ...params] = text.split(';').map((part) => part.trim())
    const param = (name: string): string | undefined => {
      const found = params.find((one) => one.toLowerCase().startsWith(`${name}=`))
      return found?.slice(name.length + 1)
    }
    const weight = Number(param('q') ?? 1)
    return { type: type.toLowerCase(), weight, version: param('version'), escaping: param('escaping') }
  })
  let asked: Escaping = 'underscores'
  for (const { type, version, escaping } of ranges.sort((a, b) => b.weight - a.weight)) {
    asked = ESCAPINGS.find((known) => known === escaping) ?? asked
    if (type === 'text/plain' && (version === undefined || version === '0.0.4')) break
  }
  return asked
}

export function textFormatType(escaping: Escaping): string {
  return `text/plain; version=0.0.4; charset=utf-8; escaping=${escaping}`
}

const LEGACY_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

/** A metric or label name as the escaping writes it. */
export function escapeName(name: string, escaping: Escaping): string {
  if (name === '' || escaping === 'allow-utf-8') return name
  if (LEGACY_NAME.test(name) && escaping !== 'dots') return name
  const chars = Array.from(name, (char, i) => ({
    char,
    isLegacy: /[a-zA-Z_:]/.test(char) || (i > 0 && /\d/.test(char)),
  }))
  switch (escaping) {
    case 'underscores':
      return chars.map(({ char, isLegacy }) => (isLegacy ? char : '_')).join('')
    case 'dots':
      return chars
        .map(({ char, isLegacy }) => (char === '.' ? '_dot_' : char === '_' || !isLegacy ? '__' : char))
        .join('')
    case 'values':
      return `U__${chars
        .map(({ char, isLegacy }) => (char === '_' ? '__' : isLegacy ? char : `_${char.codePointAt(0)!.toString(16)}_`))
        .join('')}`
  }
}

/** `# TYPE up untyped`, with its end of line. */
export function typeLine(metric: string): string {
  return `# TYPE ${quotedUnlessLegacy(metric)} untyped\n`
}

/** One sample with its end of line; a metric name that is not a legacy name is inside the braces. */
export function sampleLine(
  metric: string,
  labels: readonly (readonly [name: string, value: string])[],
  value: number,
  timeMs: number,
): string {
  const isLegacy = LEGACY_NAME.test(metric)
  const parts = labels.map(([name, text]) => `${quotedUnlessLegacy(name)}="${escapeText(text)}"`)
  if (!isLegacy) parts.unshift(`"${escapeText(metric)}"`)
  const braces = parts.length === 0 ? '' : `{${parts.join(',')}}`
  return `${isLegacy ? metric : ''}${braces} ${formatGoFloat(value, 'g')} ${timeMs}\n`
}

function quotedUnlessLegacy(name: string): string {
  return LEGACY_NAME.test(name) ? name : `"${escapeText(name)}"`
}

function escapeText(text: string): string {
  return text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))
}
