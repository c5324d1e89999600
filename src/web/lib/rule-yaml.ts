/** An alerting rule in the format of a rule file, to edit and replay. Pure. */
export interface RuleText {
  readonly name: string
  readonly expr: string
  /** Seconds. */
  readonly forSeconds: number
  readonly keepFiringForSeconds: number
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** One YAML mapping. Strings are written as JSON, which is valid YAML. */
export function ruleYaml({ name, expr, forSeconds, keepFiringForSeconds, labels, annotations }: RuleText): string {
  const lines = [`alert: ${plain(name)}`]
  // The first line of a formatted expression may be indented more than the last: YAML then needs an indentation indicator.
  const head = expr.startsWith(' ') ? 'expr: |2-' : 'expr: |-'
  if (isBlock(expr)) lines.push(head, ...expr.split('\n').map((line) => (line === '' ? '' : `  ${line}`)))
  else lines.push(`expr: ${JSON.stringify(expr)}`)
  if (forSeconds > 0) lines.push(`for: ${promDuration(forSeconds)}`)
  if (keepFiringForSeconds > 0) lines.push(`keep_firing_for: ${promDuration(keepFiringForSeconds)}`)
  lines.push(...mapping('labels', labels), ...mapping('annotations', annotations))
  return `${lines.join('\n')}\n`
}

/** Whether a literal block preserves the text: not with blank edges or control characters. */
function isBlock(expr: string): boolean {
  return (
    /^ *\S/.test(expr) &&
    /\S$/.test(expr) &&
    !/[^\n\t\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd]/.test(expr) &&
    !/[\u0085\u2028\u2029\ufeff]/.test(expr)
  )
}

function mapping(name: string, values: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(values)
  return entries.length === 0
    ? []
    : [`${name}:`, ...entries.map(([key, value]) => `  ${plain(key)}: ${JSON.stringify(value)}`)]
}

/** Quotes names that YAML would not read as strings. */
function plain(name: string): string {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(name)
    ? name
    : JSON.stringify(name)
}

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
]

/** `1h30m`, as Prometheus writes a duration; `0s` for none. */
export function promDuration(seconds: number): string {
  let left = Math.round(seconds * 1000)
  let text = ''
  for (const [unit, sizeMs] of UNITS) {
    const count = Math.floor(left / sizeMs)
    if (count > 0) text += `${count}${unit}`
    left -= count * sizeMs
  }
  return text === '' ? '0s' : text
}
