import { SECOND_MS } from '../scenarios/window.ts'
import type { Upgrade, UpgradePhase } from '../../src/model/upgrade.ts'
import type { HistoryTruth, TruthPhase, TruthUpgradeRecord } from './history-truth.ts'

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
  readonly states: Tally
  /** Starts and ends of phases that really were. */
  readonly times: Tally & {
    /** To the second. */
    readonly exact: number
    /** Not said. */
    readonly unknown: number
  }
}

export interface Tally {
  readonly right: number
  readonly wrong: readonly string[]
}

/** As much of a record as is compared: what was derived, or what the API said. */
export interface ToldUpgrade {
  readonly upgrade: Pick<Upgrade, 'cluster' | 'operator' | 'from' | 'to' | 'state' | 'startedMs' | 'phases'>
  readonly detail: { readonly csvUid?: string }
}

/** A second, and whatever a record of whole seconds loses. */

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
  const states = { right: 0, wrong: [] as string[] }
  const times = { right: 0, exact: 0, unknown: 0, wrong: [] as string[] }
  for (const real of found) {
    const record = pairs.get(real)!
    if (record.upgrade.state === real.state) states.right++
    else states.wrong.push(`${nameOf(truth, real)}: got ${record.upgrade.state}, want ${real.state}`)
    for (const check of timesOf(truth, real, record)) {
      if (check.verdict === 'wrong') times.wrong.push(check.text)
      else {
        if (check.verdict === 'unknown') times.unknown++
        else times.right++
        if (check.verdict === 'exact') times.exact++
      }
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
  }
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
  const checks: TimeCheck[] = []
  for (const phase of real.phases) {
    const told = upgrade.phases.find(({ name }) => name === phase.name)
    // Where OLM approves by itself there is nothing to wait for.
    if (phase.name === 'approval' && told?.state === 'skipped' && real.approval === 'Automatic') continue
    checks.push(checkTime(truth, real, phase, told, 'startedMs'), checkTime(truth, real, phase, told, 'endedMs'))
  }
  return checks.filter(({ text }) => text !== '')
}

function checkTime(
  truth: HistoryTruth,
  real: TruthUpgradeRecord,
  phase: TruthPhase,
  told: UpgradePhase | undefined,
  edge: 'startedMs' | 'endedMs',
): TimeCheck {
  const [want, got] = [phase[edge], told?.[edge]]
  const text = `${nameOf(truth, real)} ${phase.name} ${edge}: got ${iso(got)}, want ${iso(want)}`
  if (want === undefined) return got === undefined ? { verdict: 'unknown', text: '' } : { verdict: 'wrong', text }
  if (got === undefined) return { verdict: 'unknown', text }
  const awayMs = Math.abs(got - want)
  if (awayMs <= SECOND_MS) return { verdict: 'exact', text }
  const isWithin = awayMs <= (told?.resolutionSeconds ?? 0) * SECOND_MS + SECOND_MS
  return { verdict: isWithin ? 'within' : 'wrong', text: `${text} (resolution ${told?.resolutionSeconds ?? 0} s)` }
}

function nameOf(truth: HistoryTruth, real: TruthUpgradeRecord): string {
  return `${truth.cluster} ${real.operator} ${real.from} -> ${real.to} (${real.state})`
}

function iso(timeMs: number | undefined): string {
  return timeMs === undefined ? 'nothing' : new Date(timeMs).toISOString()
}
