import { SECOND_MS } from '../scenarios/window.ts'
import type { Upgrade } from '../../src/model/upgrade.ts'
import { hiddenOf } from './hidden.ts'
import type { HistoryTruth, TruthUpgradeRecord } from './history-truth.ts'

/**
 * Records of one cluster held against what really happened. Unknown is never wrong; a time that is said must be right to
 * its own resolution, and to the second where objects told it as it happened.
 */
export interface Comparison {
  /** Upgrades that really began. */
  readonly real: number
  readonly found: number
  readonly missed: readonly string[]
  /** Records of what never was. */
  readonly invented: readonly string[]
  readonly states: Tally & { readonly unknown: number }
  /** Starts and ends of phases that really were. */
  readonly times: TimeTally
  /** When upgrades were over. */
  readonly ends: TimeTally
  /** The states of phases. */
  readonly phases: Tally & { readonly unknown: number }
}

export interface Tally {
  readonly right: number
  readonly wrong: readonly string[]
}

export interface TimeTally extends Tally {
  /** To the second. */
  readonly exact: number
  /** Not said. */
  readonly unknown: number
}

/** As much of a record as is compared: what was derived, or what the API said. */
export interface ToldUpgrade {
  readonly upgrade: Pick<
    Upgrade,
    'cluster' | 'operator' | 'from' | 'to' | 'state' | 'startedMs' | 'endedMs' | 'phases' | 'resolutionSeconds'
  >
  readonly detail: { readonly csvUid?: string }
}

export function compareUpgrades(truth: HistoryTruth, records: readonly ToldUpgrade[]): Comparison {
  const pairs = new Map<TruthUpgradeRecord, ToldUpgrade>()
  const taken = new Set<ToldUpgrade>()
  for (const real of truth.upgrades) {
    const record = recordOf(real, records, taken)
    if (record === undefined) continue
    pairs.set(real, record)
    taken.add(record)
  }
  const begun = truth.upgrades.filter(({ startedMs }) => startedMs !== undefined)
  const found = begun.filter((real) => pairs.has(real))
  const states = { right: 0, unknown: 0, wrong: [] as string[] }
  const [times, ends] = [timeTally(), timeTally()]
  const phases = { right: 0, unknown: 0, wrong: [] as string[] }
  for (const real of found) {
    const record = pairs.get(real)!
    if (record.upgrade.state === real.state) states.right++
    else if (isUntold(truth, real, record)) states.unknown++
    else states.wrong.push(`${nameOf(truth, real)}: got ${record.upgrade.state}, want ${real.state}`)
    for (const check of timesOf(truth, real, record)) count(times, check)
    const name = `${nameOf(truth, real)} end`
    const end = checkTime(name, real.endedMs, record.upgrade.endedMs, record.upgrade.resolutionSeconds)
    count(ends, end.verdict === 'wrong' && isEndHidden(truth, real) ? { ...end, verdict: 'unknown' } : end)
    for (const { name: phase, state: got } of record.upgrade.phases) {
      const known = real.phases.find((one) => one.name === phase)?.state
      // What an open upgrade has not come to may come, or not.
      const want = known ?? (real.state === 'in_progress' && got === 'pending' ? got : 'skipped')
      // Where OLM approves by itself there is nothing to wait for.
      const isSame = got === want || (phase === 'approval' && got === 'skipped' && real.approval === 'Automatic')
      if (got === 'unknown') phases.unknown++
      else if (isSame) phases.right++
      else phases.wrong.push(`${nameOf(truth, real)} ${phase}: got ${got}, want ${want}`)
    }
  }
  return {
    real: begun.length,
    found: found.length,
    missed: begun.filter((real) => !pairs.has(real)).map((real) => nameOf(truth, real)),
    invented: records
      .filter((record) => !taken.has(record))
      .map(
        ({ upgrade }) =>
          `${upgrade.cluster} ${upgrade.from ?? '?'} -> ${upgrade.to} (${upgrade.state}) from ${iso(upgrade.startedMs)}`,
      ),
    states,
    times,
    ends,
    phases,
  }
}

/** Metrics show no end of an HCO that reports no progress: what hangs before it looks like what has ended. */
function isEndHidden({ tells }: HistoryTruth, { stall, to }: TruthUpgradeRecord): boolean {
  return stall?.kind === 'hco_hangs' && hiddenOf(tells, stall, to) === 'stall'
}

/** So an end is believed only when nothing has happened for two hours. */
const BELIEVED_MS = 2.5 * 60 * 60_000

function isUntold(truth: HistoryTruth, real: TruthUpgradeRecord, { upgrade }: ToldUpgrade): boolean {
  if (upgrade.state === 'unknown') return true
  if (truth.tells.objects || upgrade.state !== 'in_progress') return false
  return (real.endedMs ?? 0) > truth.untilMs - BELIEVED_MS
}

type Counts = { right: number; exact: number; unknown: number; readonly wrong: string[] }

function timeTally(): Counts {
  return { right: 0, exact: 0, unknown: 0, wrong: [] }
}

function count(tally: Counts, { verdict, text }: TimeCheck): void {
  if (text === '') return
  if (verdict === 'wrong') tally.wrong.push(text)
  else if (verdict === 'unknown') tally.unknown++
  else tally.right++
  if (verdict === 'exact') tally.exact++
}

/** The record of an upgrade: by its CSV where both know it, else the one of this version that began nearest. */
export function recordOf<T extends ToldUpgrade>(
  real: TruthUpgradeRecord,
  records: readonly T[],
  taken: ReadonlySet<ToldUpgrade> = new Set(),
): T | undefined {
  const candidates = records.filter(
    (record) => !taken.has(record) && record.upgrade.operator === real.operator && record.upgrade.to === real.to,
  )
  const byUid = candidates.find(({ detail }) => real.csvUid !== undefined && detail.csvUid === real.csvUid)
  if (byUid !== undefined) return byUid
  const away = ({ upgrade }: ToldUpgrade): number => Math.abs((upgrade.startedMs ?? 0) - (beginMs(real) ?? 0))
  const unnamed = candidates.filter(({ detail }) => detail.csvUid === undefined || real.csvUid === undefined)
  return unnamed.toSorted((a, b) => away(a) - away(b))[0]
}

function beginMs(real: TruthUpgradeRecord): number | undefined {
  return real.startedMs ?? real.phases[0]?.startedMs
}

interface TimeCheck {
  readonly verdict: 'exact' | 'within' | 'unknown' | 'wrong'
  readonly text: string
}

function timesOf(truth: HistoryTruth, real: TruthUpgradeRecord, { upgrade }: ToldUpgrade): readonly TimeCheck[] {
  return real.phases.flatMap((phase) => {
    const told = upgrade.phases.find(({ name }) => name === phase.name)
    // Where OLM approves by itself there is nothing to wait for.
    if (phase.name === 'approval' && told?.state === 'skipped' && real.approval === 'Automatic') return []
    return (['startedMs', 'endedMs'] as const).map((edge) =>
      checkTime(
        `${nameOf(truth, real)} ${phase.name} ${edge}`,
        phase[edge],
        told?.[edge],
        told?.resolutionSeconds ?? 0,
      ),
    )
  })
}

/** Nothing that was not said of nothing that happened is counted: its text is empty. */
function checkTime(
  name: string,
  want: number | undefined,
  got: number | undefined,
  resolutionSeconds: number,
): TimeCheck {
  const text = `${name}: got ${iso(got)}, want ${iso(want)}`
  if (want === undefined) return got === undefined ? { verdict: 'unknown', text: '' } : { verdict: 'wrong', text }
  if (got === undefined) return { verdict: 'unknown', text }
  const awayMs = Math.abs(got - want)
  if (awayMs <= SECOND_MS) return { verdict: 'exact', text }
  const isWithin = awayMs <= resolutionSeconds * SECOND_MS + SECOND_MS
  return { verdict: isWithin ? 'within' : 'wrong', text: `${text} (resolution ${resolutionSeconds} s)` }
}

function nameOf(truth: HistoryTruth, real: TruthUpgradeRecord): string {
  return `${truth.cluster} ${real.operator} ${real.from} -> ${real.to} (${real.state})`
}

function iso(timeMs: number | undefined): string {
  return timeMs === undefined ? 'nothing' : new Date(timeMs).toISOString()
}
