import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'
import type { UpgradeState } from '../../model/upgrade.ts'
import { ALL_VALUES, type Variable } from '../../model/dashboard.ts'
import type { Span } from './dashboards/time-range.ts'
import { UPGRADE_STATE_WORDS, stepText } from './fleet-names.ts'
import type { SelectorPart } from './promql/selectors.ts'

/** When upgrades ran, for graphs of their clusters. Pure. */
export interface UpgradeBand {
  readonly id: string
  readonly cluster: string
  /** `HCO 1.18.3 → 1.19.2`. */
  readonly step: string
  readonly state: UpgradeState
  readonly fromMs: number
  /** Absent: it goes on, or nobody knows when it ended. */
  readonly toMs?: number
}

/** A graph of more clusters than these is of the fleet: what one of them did says nothing of it. */
export const MARKED_CLUSTERS_MAX = 4

/** As an address says it: they are, unless `upgrades=off`. */
export function areUpgradesShown(search: URLSearchParams): boolean {
  return search.get('upgrades') !== 'off'
}

export function upgradesSearch(areShown: boolean): { readonly upgrades: string } {
  return { upgrades: areShown ? '' : 'off' }
}

/** Those that were under way in a span, the oldest first. An upgrade whose begin nobody knows has no place. */
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

/** What ran at a moment, in words. */
export function bandsAt(bands: readonly UpgradeBand[], timeMs: number): readonly string[] {
  return bands
    .filter(({ fromMs, toMs, state }) => fromMs <= timeMs && timeMs <= (toMs ?? (isOpen(state) ? Infinity : fromMs)))
    .map(({ cluster, step, state }) => `${cluster}: ${step}, ${UPGRADE_STATE_WORDS[state]}`)
}

/** What stands over a band, the longest first. Where they are of several clusters it names its own. */
export function bandTexts({ cluster, step }: UpgradeBand, bands: readonly UpgradeBand[]): readonly string[] {
  const isOfOne = bands.every((band) => band.cluster === cluster)
  return isOfOne ? [step] : [`${cluster}: ${step}`, cluster]
}

/** It has no end because it goes on. */
export function isOpen(state: UpgradeState): boolean {
  return state === 'in_progress'
}

/** The clusters that an expression names, by `cluster="a"` or `cluster=~"a|b"`; none when they are more than a few. */
export function clustersNamedIn(selectors: readonly SelectorPart[]): readonly string[] {
  const names = selectors.flatMap(({ matchers }) =>
    matchers.flatMap(({ name, operator, value }) => {
      if (name !== CLUSTER || value === '') return []
      return operator === '=' ? [value] : operator === '=~' ? literalsOf(value) : []
    }),
  )
  return aFew(names)
}

/** The clusters that variables of a dashboard choose, and the names of these variables. All of them are the fleet. */
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

/** The texts of a pattern that is nothing but texts; none of another one. */
function literalsOf(pattern: string): readonly string[] {
  const parts = pattern.replace(/^\((?:\?:)?([^()]*)\)$/, '$1').split('|')
  const isPlain = parts.every((part) => /^(?:[^\\.*+?()[\]{}^$|]|\\[^\w\s])+$/.test(part))
  return isPlain ? parts.map((part) => part.replaceAll(/\\(.)/g, '$1')) : []
}
