import type { MatcherItem } from '../../contract/silences.ts'
import { CLUSTER_ALIASES, CLUSTER_LABEL } from '../../model/cluster-identity.ts'

/** Matchers of a silence: from alerts, to text and from text. Pure. */

interface Labelled {
  readonly cluster: string
  readonly labels: Readonly<Record<string, string>>
}

/** Labels that follow from the alert's name, or describe its severity and not its object. */
const FOLLOWING: ReadonlySet<string> = new Set([
  'severity',
  'operator_health_impact',
  'kubernetes_operator_part_of',
  'kubernetes_operator_component',
  'openShiftUpdatePrecheck',
])

/** Longer lists of values are not readable. */
const VALUES_MAX = 50

/**
 * Matchers that match all given alerts and few others: for each label that all alerts have, its value or values. Labels
 * with many values are omitted, so the preview may show alerts that were not selected.
 */
export function matchersFor(alerts: readonly Labelled[]): MatcherItem[] {
  const [first] = alerts
  if (first === undefined) return []
  const aliases = new Set<string>(CLUSTER_ALIASES)
  return Object.keys(first.labels)
    .filter((name) => !FOLLOWING.has(name) && (name === CLUSTER_LABEL || !aliases.has(name)))
    .filter((name) => alerts.every(({ labels }) => labels[name] !== undefined))
    .sort(byWeight)
    .flatMap((name): MatcherItem[] => {
      const values = [...new Set(alerts.map(({ labels }) => labels[name] ?? ''))].sort()
      if (values.length === 1) return [{ name, op: '=', value: values[0]! }]
      if (values.length > VALUES_MAX || !isNaming(name)) return []
      return [{ name, op: '=~', value: values.map(escapeRegex).join('|') }]
    })
}

const isNaming = (name: string): boolean => name === 'alertname' || name === CLUSTER_LABEL

function byWeight(a: string, b: string): number {
  return Number(isNaming(b)) - Number(isNaming(a)) || (a < b ? -1 : 1)
}

/** Escapes the operators of a regular expression; matchers are anchored anyway. */
export function escapeRegex(value: string): string {
  return value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** `alertname="A", cluster=~"a|b"`. */
export function formatMatchers(matchers: readonly MatcherItem[]): string {
  return matchers.map(({ name, op, value }) => `${name}${op}${JSON.stringify(value)}`).join(', ')
}

/** Parses `severity="critical", cluster=prod-1`; `undefined` when a part is not a label. Quotes are optional. */
export function parseLabels(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {}
  const pattern = /\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^",\s]*))\s*(?:,|\n|$)/y
  const body = text.trim().replace(/^\{([^]*)\}$/, '$1')
  while (pattern.lastIndex < body.length) {
    const match = pattern.exec(body)
    if (match === null) return undefined
    labels[match[1]!] = match[2]?.replace(/\\(.)/g, (_whole, sign: string) => (sign === 'n' ? '\n' : sign)) ?? match[3]!
  }
  return labels
}

/** Why the server would refuse the matchers, or `undefined`. */
export function matchersFault(matchers: readonly MatcherItem[]): string | undefined {
  if (matchers.length === 0)
    return 'At least one matcher is required: a silence without matchers would match all alerts.'
  const unnamed = matchers.find(({ name }) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  if (unnamed !== undefined) {
    return unnamed.name === '' ? 'A matcher needs a label name.' : `“${unnamed.name}” is not a label name.`
  }
  if (matchers.every(matchesAbsent)) {
    return 'At least one matcher must not match an empty label.'
  }
  return undefined
}

/** The syntax is RE2: an expression that the browser cannot parse is left to the server. */
function matchesAbsent({ op, value }: MatcherItem): boolean {
  if (op === '=') return value === ''
  if (op === '!=') return value !== ''
  try {
    const matches = new RegExp(`^(?:${value})$`, 'u').test('')
    return op === '=~' ? matches : !matches
  } catch {
    return false
  }
}
