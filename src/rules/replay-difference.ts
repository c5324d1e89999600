/**
 * What two replays of a rule differ in: times at which an alert fires under one of them alone. Alerts correspond when they have
 * equal values of the labels that both rules' alerts have; labels that a rule sets itself do not count, so that an edited severity
 * is not a difference. Pure.
 */
import { groupBy } from '../base/group-by.ts'
import { ownValue } from '../base/own-value.ts'

export interface FiringPeriod {
  readonly labels: Readonly<Record<string, string>>
  readonly firedAtMs: number
  /** Absent: it fires at the end of the window. */
  readonly resolvedAtMs?: number
}

/** Periods of one rule that are compared; a rule with more is flooding. */
export const PERIODS_MAX = 50_000
/** Listed periods of each side. */
const LISTED_MAX = 200

export interface DifferingPeriod {
  /** That the alerts of both rules have. */
  readonly labels: Readonly<Record<string, string>>
  readonly fromMs: number
  readonly untilMs: number
}

export interface OneSide {
  /** Periods in which an alert fires under this rule alone; `clusters` with one. */
  readonly periods: number
  readonly clusters: number
  readonly seconds: number
  /** The last ones, newest first, at most 200. */
  readonly items: readonly DifferingPeriod[]
}

export interface ReplayDifference {
  readonly onlyPresent: OneSide
  readonly onlyEdited: OneSide
  /** Firing under both. */
  readonly bothSeconds: number
  /** The labels by which alerts correspond. */
  readonly comparedBy: readonly string[]
  /** A rule has more than 50,000 periods, of which the first are compared. */
  readonly isCut: boolean
}

/** The periods of one rule, and the labels that the rule sets. */
export interface ComparedRule {
  readonly periods: readonly FiringPeriod[]
  readonly ownLabels: readonly string[]
}

export function replayDifference(present: ComparedRule, edited: ComparedRule, toMs: number): ReplayDifference {
  const comparedBy = commonLabels(present, edited)
  const byAlert = ({ periods }: ComparedRule): Periods =>
    groupBy(periods.slice(0, PERIODS_MAX), ({ labels }) =>
      JSON.stringify(comparedBy.map((name) => ownValue(labels, name) ?? '')),
    )
  const [before, after] = [byAlert(present), byAlert(edited)]
  const [onlyPresent, onlyEdited]: [DifferingPeriod[], DifferingPeriod[]] = [[], []]
  let bothMs = 0
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const values = JSON.parse(key) as readonly string[]
    const labels: Readonly<Record<string, string>> = Object.fromEntries(
      comparedBy.flatMap((name, i) => (values[i] === '' ? [] : [[name, values[i]!] as const])),
    )
    const [a, b] = [unionOf(before.get(key) ?? [], toMs), unionOf(after.get(key) ?? [], toMs)]
    for (const [fromMs, untilMs] of minus(a, b)) onlyPresent.push({ labels, fromMs, untilMs })
    for (const [fromMs, untilMs] of minus(b, a)) onlyEdited.push({ labels, fromMs, untilMs })
    bothMs += lengthOf(a) - lengthOf(minus(a, b))
  }
  return {
    onlyPresent: sideOf(onlyPresent),
    onlyEdited: sideOf(onlyEdited),
    bothSeconds: bothMs / 1000,
    comparedBy,
    isCut: Math.max(present.periods.length, edited.periods.length) > PERIODS_MAX,
  }
}

type Periods = ReadonlyMap<string, readonly FiringPeriod[]>
type Stretch = readonly [fromMs: number, untilMs: number]

/** Where one of the rules never fires there is nothing to correspond to: all of the other's labels. */
function commonLabels(present: ComparedRule, edited: ComparedRule): readonly string[] {
  const ofRules = new Set(['alertname', ...present.ownLabels, ...edited.ownLabels])
  const labelsOf = ({ periods }: ComparedRule): ReadonlySet<string> =>
    new Set(periods.flatMap(({ labels }) => Object.keys(labels)))
  const [a, b] = [labelsOf(present), labelsOf(edited)]
  const names = a.size === 0 ? b : b.size === 0 ? a : new Set([...a].filter((name) => b.has(name)))
  return [...names].filter((name) => !ofRules.has(name)).sort()
}

/** Rising, without overlaps. */
function unionOf(periods: readonly FiringPeriod[], toMs: number): readonly Stretch[] {
  const sorted = periods
    .map(({ firedAtMs, resolvedAtMs = toMs }): Stretch => [firedAtMs, resolvedAtMs])
    .sort(([a], [b]) => a - b)
  const union: [number, number][] = []
  for (const [fromMs, untilMs] of sorted) {
    const last = union.at(-1)
    if (last !== undefined && fromMs <= last[1]) last[1] = Math.max(last[1], untilMs)
    else union.push([fromMs, untilMs])
  }
  return union
}

/** What of `a` is not in `b`; both rising, without overlaps. */
function minus(a: readonly Stretch[], b: readonly Stretch[]): readonly Stretch[] {
  const left: Stretch[] = []
  let next = 0
  for (const [fromMs, untilMs] of a) {
    let startMs = fromMs
    while (next < b.length && b[next]![1] <= startMs) next++
    for (let i = next; i < b.length && b[i]![0] < untilMs; i++) {
      if (b[i]![0] > startMs) left.push([startMs, b[i]![0]])
      startMs = Math.max(startMs, b[i]![1])
    }
    if (startMs < untilMs) left.push([startMs, untilMs])
  }
  return left
}

function lengthOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, [fromMs, untilMs]) => sum + untilMs - fromMs, 0)
}

function sideOf(periods: readonly DifferingPeriod[]): OneSide {
  return {
    periods: periods.length,
    clusters: new Set(periods.map(({ labels }) => ownValue(labels, 'cluster') ?? '')).size,
    seconds: periods.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0) / 1000,
    items: periods.toSorted((x, y) => y.fromMs - x.fromMs).slice(0, LISTED_MAX),
  }
}
