import type { MatcherItem } from '../../contract/silences.ts'
import { CLUSTER_ALIASES, CLUSTER_LABEL } from '../../model/cluster-identity.ts'

/** Matchers of a silence: prefilled from alerts, written and read as text. Pure. */

interface Labelled {
  readonly cluster: string
  readonly labels: Readonly<Record<string, string>>
}

/** They follow from the alert's name or say how bad it is, and not what it is about. */
const FOLLOWING: ReadonlySet<string> = new Set([
  'severity',
  'operator_health_impact',
  'kubernetes_operator_part_of',
  'kubernetes_operator_component',
  'openShiftUpdatePrecheck',
])

/** More values than this are no list that a person reads. */
const VALUES_MAX = 50

/**
 * Matchers that match all of these alerts, and little else: of each label that all have, its value or the few values it
 * has among them. Labels in which many differ are left out, so the preview may show more than was chosen.
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

/** A matcher's expression is anchored by whoever reads it, so only its own signs are made plain. */
export function escapeRegex(value: string): string {
  return value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** `alertname="A", cluster=~"a|b"`. */
export function formatMatchers(matchers: readonly MatcherItem[]): string {
  return matchers.map(({ name, op, value }) => `${name}${op}${JSON.stringify(value)}`).join(', ')
}

/** Reads `severity="critical", cluster=prod-1` as labels; `undefined` when a part is not one. Quotes may be left out. */
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

/** Why the matchers cannot be sent, or `undefined`. The server decides; this only says it before. */
export function matchersFault(matchers: readonly MatcherItem[]): string | undefined {
  if (matchers.length === 0) return 'At least one matcher is needed: without any, everything would be silenced.'
  const unnamed = matchers.find(({ name }) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  if (unnamed !== undefined) {
    return unnamed.name === '' ? 'A matcher needs a label name.' : `“${unnamed.name}” is not a label name.`
  }
  if (matchers.every(matchesAbsent)) {
    return 'At least one matcher must need its label: these match alerts that have none of them.'
  }
  return undefined
}

/** An expression that this browser cannot read is left to the server: its syntax is RE2. */
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
