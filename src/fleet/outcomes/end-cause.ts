/**
 * What ended an occurrence of an alert. A person's statement counts first; otherwise the cause follows from what is recorded, and is
 * `unknown` wherever the records allow more than one cause or where they are missing. Pure: nothing here reads a clock.
 */
import type { AlertRunRecord, StoredAlertRun } from '../../model/alert-run.ts'
import type { EndCause, RunbookStep } from '../../model/runbook-work.ts'
import type { UpgradeSpan } from '../../model/upgrade.ts'
import type { WorkState } from './work-state.ts'

const MINUTE_MS = 60_000
/** A mitigation step that was ticked at most so long before the end may have ended the alert. */
export const FIX_WINDOW_MS = 60 * MINUTE_MS
/**
 * An upgrade that ended at most so long before the end may have ended the alert: rules hold for up to 15 minutes, and are
 * evaluated over windows of up to 15 minutes.
 */
export const UPGRADE_WINDOW_MS = 30 * MINUTE_MS
/** A cluster without a report for so long before the end may have ended the alert by sending no samples. */
export const SILENT_BEFORE_END_MS = 15 * MINUTE_MS

export interface EndVerdict {
  readonly cause: EndCause
  /** A person stated it. */
  readonly isStated: boolean
  /** Sentences, the strongest first. */
  readonly evidence: readonly string[]
  /** The step that ended the alert, of cause `fix`. */
  readonly step?: string
  /** Of cause `upgrade_ended`. */
  readonly upgradeId?: string
}

export interface EndFacts {
  readonly run: Pick<StoredAlertRun, 'firedAtMs' | 'resolvedAtMs' | 'acknowledgedBy'>
  readonly work: WorkState
  /** The text and section of each step that is ticked or marked; one without is of an unknown revision. */
  readonly steps: ReadonlyMap<string, RunbookStep>
  /** Of the cluster of the alert. */
  readonly upgrades: readonly UpgradeSpan[]
  /** `unknown`: no record of the cluster, hence of its upgrades. `none`: the alert has no cluster. */
  readonly cluster: { readonly kind: 'none' | 'unknown' } | { readonly kind: 'known'; readonly lastSeenMs?: number }
}

/** `undefined`: the alert is firing. */
export function endOf({ run, work, steps, upgrades, cluster }: EndFacts): EndVerdict | undefined {
  const { resolvedAtMs: endMs } = run
  if (endMs === undefined) return undefined
  const { correction } = work
  if (correction !== undefined) {
    const { cause, by, step } = correction
    const evidence = [`Stated by ${by}.`, ...(step === undefined ? [] : [`Step: ${textOf(steps, step)}`])]
    return { cause, isStated: true, evidence, ...(step === undefined ? {} : { step }) }
  }
  const marked = markedFix(work, steps)
  if (marked !== undefined) {
    const evidence = [`${marked.by} marked a step as the fix: ${textOf(steps, marked.step)}`]
    return { cause: 'fix', isStated: false, evidence, step: marked.step }
  }
  const ticked = lastTickBefore(work, steps, endMs)
  const ended = upgradeEndedBefore(upgrades, run, endMs)
  const running = upgrades.find((upgrade) => isRunningAt(upgrade, endMs))
  const lastTick =
    ticked &&
    `A mitigation step was ticked ${durationText(endMs - ticked.atMs)} before the end: ${textOf(steps, ticked.step)}`
  const lastUpgrade =
    ended && `The upgrade to ${ended.to} ended ${durationText(endMs - (ended.endedMs ?? endMs))} before the alert.`
  const inProgress = running && `The upgrade to ${running.to} was in progress at the end.`
  const verdict = (cause: EndCause, ...evidence: (string | undefined)[]): EndVerdict => {
    return { cause, isStated: false, evidence: evidence.flatMap((text) => text ?? []) }
  }
  if (ticked !== undefined) {
    if (ended !== undefined || running !== undefined) return verdict('unknown', lastTick, lastUpgrade, inProgress)
    return { ...verdict('fix', lastTick, 'No step is marked as the fix.'), step: ticked.step }
  }
  if (ended !== undefined) {
    return { ...verdict('upgrade_ended', lastUpgrade, workText(work)), upgradeId: ended.id }
  }
  if (running !== undefined) return verdict('unknown', inProgress, workText(work))
  if (work.started !== undefined) return verdict('unknown', workText(work))
  if (run.acknowledgedBy !== undefined) {
    return verdict('unknown', `${run.acknowledgedBy} acknowledged the alert; no step is recorded.`)
  }
  if (cluster.kind === 'unknown') return verdict('unknown', 'The upgrades of this cluster are not recorded.')
  if (cluster.kind === 'known') {
    const silentMs = endMs - (cluster.lastSeenMs ?? -Infinity)
    if (silentMs > SILENT_BEFORE_END_MS) {
      const last = cluster.lastSeenMs === undefined ? 'never reported' : 'had stopped reporting before the end'
      return verdict('unknown', `The cluster ${last}: the alert may have ended because its samples did.`)
    }
  }
  const noUpgrade = cluster.kind === 'none' ? '' : ', no upgrade was in progress or had just ended'
  return verdict('by_itself', `No step and no acknowledgement was recorded${noUpgrade}.`)
}

/** The newest mark on a mitigation step, or on one of an unknown revision. */
function markedFix(
  work: WorkState,
  steps: EndFacts['steps'],
): { readonly step: string; readonly by: string } | undefined {
  const marks = [...work.steps].flatMap(([step, { helped }]) =>
    helped === undefined || steps.get(step)?.section === 'diagnosis' ? [] : [{ step, ...helped }],
  )
  return newest(marks)
}

/** The newest tick of a mitigation step within the window before the end. */
function lastTickBefore(work: WorkState, steps: EndFacts['steps'], endMs: number) {
  const ticks = [...work.steps].flatMap(([step, { ticked }]) =>
    ticked === undefined || steps.get(step)?.section === 'diagnosis' ? [] : [{ step, ...ticked }],
  )
  return newest(ticks.filter(({ atMs }) => atMs <= endMs && endMs - atMs <= FIX_WINDOW_MS))
}

function newest<T extends { readonly atMs: number }>(all: readonly T[]): T | undefined {
  return all.reduce<T | undefined>((last, one) => (last === undefined || one.atMs >= last.atMs ? one : last), undefined)
}

/** The last upgrade that ended while the alert was firing, within the window before the end; its times have a resolution. */
function upgradeEndedBefore(
  upgrades: readonly UpgradeSpan[],
  { firedAtMs }: Pick<AlertRunRecord, 'firedAtMs'>,
  endMs: number,
): UpgradeSpan | undefined {
  const found = upgrades.filter(({ endedMs, resolutionSeconds }) => {
    if (endedMs === undefined) return false
    const slackMs = resolutionSeconds * 1000
    return endedMs + slackMs >= firedAtMs && endedMs <= endMs + slackMs && endMs - endedMs <= UPGRADE_WINDOW_MS
  })
  return found.sort((a, b) => b.endedMs! - a.endedMs!)[0]
}

function isRunningAt({ startedMs, endedMs, state }: UpgradeSpan, timeMs: number): boolean {
  if (startedMs === undefined || startedMs > timeMs) return false
  return endedMs === undefined ? state === 'in_progress' : endedMs > timeMs
}

function textOf(steps: EndFacts['steps'], key: string): string {
  return steps.get(key)?.text ?? `a step of an earlier revision (${key})`
}

function workText(work: WorkState): string | undefined {
  if (work.started === undefined) return undefined
  const ticked = [...work.steps.values()].filter((step) => step.ticked !== undefined).length
  const steps = ticked === 1 ? '1 step was' : `${ticked} steps were`
  const notes = work.notes.length === 0 ? '' : `, ${work.notes.length === 1 ? '1 note' : `${work.notes.length} notes`}`
  return `${steps} ticked${notes}; no mitigation step shortly before the end.`
}

/** `4 min`, `1 h 5 min`; less than a minute in seconds. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d`
}
