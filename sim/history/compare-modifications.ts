import type { Modification } from '../../src/model/cluster-record.ts'
import type { HistoryTruth, TruthModification } from './history-truth.ts'

/** Out-of-band modifications of one cluster held against what really happened, burst by burst. */
export interface ModificationComparison {
  readonly right: number
  /** Fewer than there were, or none at all. */
  readonly low: readonly string[]
  /** More than there were, or where there were none. */
  readonly high: readonly string[]
  /** Told or not, while nothing was heard: the times in which they happened are lost. */
  readonly unknown: number
}

export type ToldModification = Pick<
  Modification,
  'cluster' | 'kind' | 'component' | 'startedMs' | 'count' | 'resolutionSeconds'
>

/** A burst lasts no longer than this, and what it leaves is told within it. */
const BURST_MS = 15 * 60_000

export function compareModifications(
  truth: HistoryTruth,
  records: readonly ToldModification[],
): ModificationComparison {
  const taken = new Set<ToldModification>()
  const low: string[] = []
  const high: string[] = []
  let [right, unknown] = [0, 0]
  for (const real of truth.modifications) {
    const told = records.filter((record) => !taken.has(record) && isOf(real, record))
    for (const record of told) taken.add(record)
    const count = told.reduce((sum, record) => sum + record.count, 0)
    const text = `${nameOf(truth.cluster, real)} from ${new Date(real.fromMs).toISOString()}: got ${count}, want ${real.count}`
    if (isLost(truth, real.fromMs) && count <= real.count) unknown++
    else if (told.length > 1 || count > real.count) high.push(`${text} in ${told.length}`)
    else if (count < real.count) low.push(text)
    else right++
  }
  const invented = records.filter((record) => !taken.has(record) && !isLost(truth, record.startedMs ?? -Infinity))
  for (const record of invented) {
    high.push(
      `${nameOf(truth.cluster, record)} from ${new Date(record.startedMs ?? 0).toISOString()}: got ${record.count}, want none`,
    )
  }
  return { right, low, high, unknown }
}

function isOf(real: TruthModification, { kind, component, startedMs, resolutionSeconds }: ToldModification): boolean {
  if (kind !== real.kind || component !== real.component) return false
  if (startedMs === undefined) return real.kind === 'jsonpatch'
  const slackMs = (resolutionSeconds + 1) * 1000
  const lastMs = real.kind === 'jsonpatch' ? (real.untilMs ?? Infinity) : real.fromMs + BURST_MS
  return startedMs >= real.fromMs - 1000 && startedMs <= lastMs + slackMs
}

function isLost({ gaps }: HistoryTruth, fromMs: number): boolean {
  return gaps.some((gap) => gap.fromMs <= fromMs + BURST_MS && gap.untilMs + BURST_MS >= fromMs)
}

function nameOf(cluster: string, { kind, component }: Pick<TruthModification, 'kind' | 'component'>): string {
  return `${cluster} ${kind} of ${component}`
}
