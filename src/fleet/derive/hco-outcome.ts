/** How an attempt to upgrade HCO ended, according to objects. */
import type { UpgradeState } from '../../model/upgrade.ts'
import { remembered } from '../../base/remembered.ts'
import { type ClusterHistory, type ObjectHistory, hcoCsvs, versionOf } from './cluster-history.ts'
import type { CsvFacts } from '../../model/object-facts.ts'
import { hasFailedFinally, type CsvStep } from './csv-path.ts'
import type { Attempt } from './hco-attempts.ts'
import { ownMoment, type Moment } from './moment.ts'

export interface Outcome {
  readonly state: UpgradeState
  /** When HCO had the version, or when the attempt was over. Absent: in progress, or unknown. */
  readonly ended: Moment | undefined
  readonly next: Attempt | undefined
}

/** @param next the first later attempt that has begun */
export function outcomeOf(attempt: Attempt, next: Attempt | undefined, history: ClusterHistory): Outcome {
  const { csv, steps, window, to, from } = attempt
  if (window?.ended !== undefined) return { state: 'succeeded', ended: window.ended, next }
  if (next !== undefined) {
    // OLM deletes the old CSVs before it installs a version again.
    const replacedMs = Math.min(next.anchorMs, csv?.gone?.atMs ?? Infinity)
    const last = steps.findLast(({ started }) => started.atMs <= next.anchorMs)
    const isBack = from !== undefined && next.to === from && next.to !== to
    const hasFailed = last?.phase === 'Failed' || wasFailedWhenReplaced(csv, next.anchorMs)
    if (!isBack && hasFailed) return { state: 'failed', ended: failedAt(steps) ?? ownMoment(replacedMs), next }
    return { state: isBack ? 'rolled_back' : 'superseded', ended: ownMoment(replacedMs), next }
  }
  if (csv?.gone !== undefined) {
    const ended: Moment = ownMoment(csv.gone.atMs)
    // The CSV of the previous version existed longer than this one.
    return (lastSeenMs(history).get(from) ?? -Infinity) > csv.gone.atMs
      ? { state: 'rolled_back', ended, next }
      : { state: 'unknown', ended: undefined, next }
  }
  const last = steps.at(-1)
  if (last !== undefined && hasFailedFinally(last)) return { state: 'failed', ended: last.started, next }
  // CSV Succeeded is not the end; without reports of HCO the end is unknown.
  const isHcoReported = window !== undefined || history.of('hyperconvergeds').length > 0
  if (last?.phase === 'Succeeded' && !isHcoReported) return { state: 'unknown', ended: undefined, next }
  return { state: 'in_progress', ended: undefined, next }
}

function failedAt(steps: readonly CsvStep[]): Moment | undefined {
  return steps.findLast(({ phase }) => phase === 'Failed')?.started
}

/** A CSV in Pending has not started: it waits for the end of the previous one. */
export function hasBegun({ csv, steps, window }: Attempt): boolean {
  if (window !== undefined) return true
  if (csv === undefined) return false
  return steps.length === 0 ? csv.states.at(-1)!.facts.phase !== '' : steps.some(({ phase }) => phase !== 'Pending')
}

/** OLM sets Replacing at once; the state before it decides. */
function wasFailedWhenReplaced(csv: ObjectHistory<CsvFacts> | undefined, atMs: number): boolean {
  const before = csv?.states.filter((state) => state.atMs < atMs).findLast(({ facts }) => facts.phase !== 'Replacing')
  return before?.facts.phase === 'Failed'
}

/** Until when there was a CSV, by version; Infinity: it exists. */
const lastSeenMs = remembered((history: ClusterHistory): ReadonlyMap<string | undefined, number> => {
  const lastMs = new Map<string, number>()
  for (const csv of hcoCsvs(history)) {
    const version = versionOf(csv)
    lastMs.set(version, Math.max(lastMs.get(version) ?? -Infinity, csv.gone?.atMs ?? Infinity))
  }
  return lastMs
})
