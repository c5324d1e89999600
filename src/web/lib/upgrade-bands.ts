import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'
import type { UpgradeState } from '../../model/upgrade.ts'
import { ALL_VALUES, type Variable } from '../../model/dashboard.ts'
import type { Span } from './dashboards/time-range.ts'
import { UPGRADE_STATE_WORDS, stepText } from './fleet-names.ts'
import type { SelectorPart } from './promql/selectors.ts'

/** An upgrade as a band in graphs of its cluster. Pure. */
export interface UpgradeBand {
  readonly id: string
  readonly cluster: string
  /** `HCO 1.18.3 → 1.19.2`. */
  readonly step: string
  readonly state: UpgradeState
  readonly fromMs: number
  /** Absent: in progress, or the end is not known. */
  readonly toMs?: number
}

/** Graphs of more clusters are about the fleet and show no upgrades. */
export const MARKED_CLUSTERS_MAX = 4

/** `upgrades=off` in the address hides them. */
export function areUpgradesShown(search: URLSearchParams): boolean {
  return search.get('upgrades') !== 'off'
}

export function upgradesSearch(areShown: boolean): { readonly upgrades: string } {
  return { upgrades: areShown ? '' : 'off' }
}

/** Upgrades in progress within the span, oldest first; without those of an unknown start. */
export function bandsOf(upgrades: readonly UpgradeItem[], { startSeconds, endSeconds }: Span): readonly UpgradeBand[] {
  return upgrades
    .flatMap(({ id, cluster, operator, from, to, state, startedAt, endedAt }): UpgradeBand[] => {
      if (startedAt === null) return []
      const [fromMs, toMs] = [Date.parse(startedAt), endedAt === null ? undefined : Date.parse(endedAt)]
      if (fromMs > endSeconds * 1000 || (toMs ?? Infinity) < startSeconds * 1000) return []
      const step = stepText({ operator, from, to })
      return [{ id, cluster, step, state, fromMs, ...(toMs === undefined ? {} : { toMs }) }]
    })
    .sort((a, b) => a.fromMs - b.fromMs || (a.id < b.id ? -1 : 1))
}

/** The upgrades at a moment, in words. */
export function bandsAt(bands: readonly UpgradeBand[], timeMs: number): readonly string[] {
  return bands
    .filter(({ fromMs, toMs, state }) => fromMs <= timeMs && timeMs <= (toMs ?? (isOpen(state) ? Infinity : fromMs)))
    .map(({ cluster, step, state }) => `${cluster}: ${step}, ${UPGRADE_STATE_WORDS[state]}`)
}

/** Labels of a band, longest first. With several clusters they name the cluster. */
export function bandTexts({ cluster, step }: UpgradeBand, bands: readonly UpgradeBand[]): readonly string[] {
  const isOfOne = bands.every((band) => band.cluster === cluster)
  return isOfOne ? [step] : [`${cluster}: ${step}`, cluster]
}

export function isOpen(state: UpgradeState): boolean {
  return state === 'in_progress'
}

/** The clusters of an expression, by `cluster="a"` or `cluster=~"a|b"`; none when there are too many. */
export function clustersNamedIn(selectors: readonly SelectorPart[]): readonly string[] {
  const names = selectors.flatMap(({ matchers }) =>
    matchers.flatMap(({ name, operator, value }) => {
      if (name !== CLUSTER || value === '') return []
      return operator === '=' ? [value] : operator === '=~' ? literalsOf(value) : []
    }),
  )
  return aFew(names)
}

/** The clusters that variables of a dashboard select, and the names of these variables. */
export function clustersChosen(
  states: readonly { readonly variable: Variable; readonly chosen: readonly string[] }[],
): { readonly clusters: readonly string[]; readonly names: ReadonlySet<string> } {
  const choosing = states.filter(({ variable, chosen }) => {
    const isOfClusters =
      variable.kind === 'list' && variable.source.kind === 'label-values' && variable.source.labelName === CLUSTER
    return isOfClusters && !chosen.includes(ALL_VALUES)
  })
  return {
    clusters: aFew(choosing.flatMap(({ chosen }) => chosen)),
    names: new Set(choosing.map(({ variable }) => variable.name)),
  }
}

const CLUSTER = 'cluster'

function aFew(names: readonly string[]): readonly string[] {
  const each = [...new Set(names)].sort()
  return each.length > MARKED_CLUSTERS_MAX ? [] : each
}

/** The alternatives of a pattern without operators; none for other patterns. */
function literalsOf(pattern: string): readonly string[] {
  const parts = pattern.replace(/^\((?:\?:)?([^()]*)\)$/, '$1').split('|')
  const isPlain = parts.every((part) => /^(?:[^\\.*+?()[\]{}^$|]|\\[^\w\s])+$/.test(part))
  return isPlain ? parts.map((part) => part.replaceAll(/\\(.)/g, '$1')) : []
}

/** The known time range of an upgrade. */
export interface UpgradeWindow {
  readonly fromMs: number
  /** `undefined`: in progress. Without a known end, the last time of its phases. */
  readonly toMs: number | undefined
  readonly isEndKnown: boolean
}

/** `undefined`: the start is not known. */
export function upgradeWindow({ startedAt, endedAt, state, phases }: UpgradeItem): UpgradeWindow | undefined {
  if (startedAt === null) return undefined
  const fromMs = Date.parse(startedAt)
  if (endedAt !== null) return { fromMs, toMs: Date.parse(endedAt), isEndKnown: true }
  if (isOpen(state)) return { fromMs, toMs: undefined, isEndKnown: true }
  const times = phases.flatMap((phase) => [phase.startedAt, phase.endedAt]).filter((at) => at !== null)
  return { fromMs, toMs: Math.max(fromMs, ...times.map((at) => Date.parse(at))), isEndKnown: false }
}

/** Offered and not approved: active, but not started. */
export function waitsForApproval({ state, startedAt, phases }: UpgradeItem): boolean {
  return (
    state === 'in_progress' &&
    startedAt === null &&
    phases.some((phase) => phase.name === 'approval' && phase.state === 'in_progress')
  )
}

/** The text in place of the start. */
export function noStartText(upgrade: UpgradeItem): string {
  return waitsForApproval(upgrade) ? 'not started' : 'not known'
}
