/** What trials come to: the figures that are promised, and the worst of what was wrong. */
import type { TimeTally } from '../../sim/history/compare.ts'
import type { Trial } from './trial.ts'

/** What was found and what was called stuck, in process or over HTTP. */
export type Scored = Pick<Trial, 'comparisons' | 'modifications' | 'detection'>

export interface Score {
  readonly real: number
  readonly found: number
  readonly missed: readonly string[]
  readonly invented: readonly string[]
  readonly states: { readonly right: number; readonly wrong: readonly string[] }
  readonly times: {
    readonly told: number
    readonly exactShare: number
    readonly wrong: readonly string[]
    readonly unknown: number
  }
  readonly ends: Score['times']
  /** Of phases: other states than they really had. */
  readonly phases: { readonly right: number; readonly wrong: readonly string[]; readonly unknown: number }
  readonly modifications: {
    readonly right: number
    readonly low: readonly string[]
    readonly high: readonly string[]
    readonly unknown: number
  }
  readonly stalls: {
    /** That have no business waiting for people or machines, lasted ten minutes at least, and can be seen at all. */
    readonly count: number
    readonly detected: number
    readonly medianSeconds: number
    readonly p90Seconds: number
  }
  readonly waits: { readonly count: number; readonly detected: number; readonly medianSeconds: number }
  readonly causes: {
    /** Of detected ones with a cause that has a signature. */
    readonly listed: number
    readonly rightShare: number
    readonly wrong: readonly string[]
    readonly unlisted: number
    /** Unlisted faults that were called by a name. */
    readonly named: readonly string[]
  }
  /** What nobody can know by the ways a cluster tells, counted apart. */
  readonly untellable: { readonly stalls: number; readonly detected: number; readonly causes: number }
  readonly falseAlarms: { readonly calm: number; readonly share: number; readonly examples: readonly string[] }
  readonly unseen: number
}

const LASTED_MS_MIN = 10 * 60_000

export function scoreOf({ comparisons, modifications, detection }: Scored): Score {
  const sum = (of: (comparison: Scored['comparisons'][number]) => number): number =>
    comparisons.reduce((total, comparison) => total + of(comparison), 0)
  const seen = detection.stalls.filter(({ hidden }) => hidden !== 'stall')
  const unseen = detection.stalls.filter(({ hidden }) => hidden === 'stall')
  const urgent = seen.filter((stall) => !stall.isAsynchronous && stall.lastedMs >= LASTED_MS_MIN)
  const waits = seen.filter((stall) => stall.isAsynchronous)
  const seconds = (stalls: typeof urgent): readonly number[] =>
    stalls.flatMap(({ detectedMs }) => detectedMs ?? []).map((ms) => ms / 1000)
  const said = detection.stalls.filter((stall) => stall.said !== undefined)
  // Where a cause cannot be told, unknown is right and any name but its own is wrong.
  const listed = said.filter(({ cause, hidden }) => cause !== 'unknown' && hidden === undefined)
  const untold = said.filter(({ cause, hidden }) => cause !== 'unknown' && hidden !== undefined)
  const unlisted = [...said.filter(({ cause }) => cause === 'unknown'), ...untold]
  const alarms = detection.calm.flatMap(({ falseAlarm }) => falseAlarm ?? [])
  return {
    real: sum(({ real }) => real),
    found: sum(({ found }) => found),
    missed: comparisons.flatMap(({ missed }) => missed),
    invented: comparisons.flatMap(({ invented }) => invented),
    states: { right: sum(({ states }) => states.right), wrong: comparisons.flatMap(({ states }) => states.wrong) },
    times: timesOf(comparisons.map(({ times }) => times)),
    ends: timesOf(comparisons.map(({ ends }) => ends)),
    phases: {
      right: sum(({ phases }) => phases.right),
      wrong: comparisons.flatMap(({ phases }) => phases.wrong),
      unknown: sum(({ phases }) => phases.unknown),
    },
    modifications: {
      right: modifications.reduce((total, one) => total + one.right, 0),
      low: modifications.flatMap(({ low }) => low),
      high: modifications.flatMap(({ high }) => high),
      unknown: modifications.reduce((total, one) => total + one.unknown, 0),
    },
    stalls: {
      count: urgent.length,
      detected: seconds(urgent).length,
      medianSeconds: quantile(missing(urgent, seconds(urgent)), 0.5),
      p90Seconds: quantile(missing(urgent, seconds(urgent)), 0.9),
    },
    waits: { count: waits.length, detected: seconds(waits).length, medianSeconds: quantile(seconds(waits), 0.5) },
    causes: {
      listed: listed.length,
      rightShare: shareOf(listed.filter((stall) => stall.said === stall.cause).length, listed.length),
      wrong: listed.filter((stall) => stall.said !== stall.cause).map((stall) => `${stall.name}: said ${stall.said!}`),
      unlisted: unlisted.length,
      named: unlisted
        .filter(({ said: name, cause }) => name !== 'unknown' && name !== cause)
        .map((stall) => `${stall.name}: said ${stall.said!}`),
    },
    untellable: {
      stalls: unseen.length,
      detected: unseen.filter(({ detectedMs }) => detectedMs !== undefined).length,
      causes: untold.length,
    },
    falseAlarms: {
      calm: detection.calm.length,
      share: shareOf(alarms.length, detection.calm.length),
      examples: alarms,
    },
    unseen: detection.unseen,
  }
}

function timesOf(tallies: readonly TimeTally[]): Score['times'] {
  const sum = (of: (tally: TimeTally) => number): number => tallies.reduce((total, tally) => total + of(tally), 0)
  const told = sum(({ right, wrong }) => right + wrong.length)
  return {
    told,
    exactShare: shareOf(
      sum(({ exact }) => exact),
      told,
    ),
    wrong: tallies.flatMap(({ wrong }) => wrong),
    unknown: sum(({ unknown }) => unknown),
  }
}

/** One that was never detected took for ever. */
function missing(stalls: readonly unknown[], found: readonly number[]): readonly number[] {
  return [...found, ...Array.from({ length: stalls.length - found.length }, () => Infinity)]
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

const EXAMPLES = 8

/** As `npm run bench truth` prints it. */
export function renderScore(title: string, score: Score): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
  const minutes = (seconds: number): string => `${(seconds / 60).toFixed(1)} min`
  const few = (name: string, texts: readonly string[]): readonly string[] =>
    texts.length === 0 ? [] : [`  ${name} (${texts.length}):`, ...texts.slice(0, EXAMPLES).map((text) => `    ${text}`)]
  const { times, ends, phases, modifications, stalls, waits, causes, untellable, falseAlarms, states } = score
  return [
    title,
    `  upgrades       ${score.found} of ${score.real} found, ${score.invented.length} invented; state right ${states.right}`,
    `  phase times    ${times.told} told, ${percent(times.exactShare)} to the second, ${times.wrong.length} wrong, ${times.unknown} unknown`,
    `  ends           ${ends.told} told, ${ends.wrong.length} wrong, ${ends.unknown} unknown`,
    `  phases         ${phases.right} right, ${phases.wrong.length} wrong, ${phases.unknown} unknown`,
    `  modifications  ${modifications.right} right, ${modifications.low.length} too low, ${modifications.high.length} too high, ${modifications.unknown} in an outage`,
    `  stalls         ${stalls.detected} of ${stalls.count} detected, median ${minutes(stalls.medianSeconds)}, p90 ${minutes(stalls.p90Seconds)}`,
    `  waiting        ${waits.detected} of ${waits.count} detected, median ${minutes(waits.medianSeconds)}`,
    `  causes         ${percent(causes.rightShare)} of ${causes.listed} right; ${causes.named.length} of ${causes.unlisted} unlisted faults named`,
    `  untellable     ${untellable.stalls} stalls (${untellable.detected} detected) and ${untellable.causes} causes, apart from those above`,
    `  false alarms   ${percent(falseAlarms.share)} of ${falseAlarms.calm} calm upgrades; ${score.unseen} in an outage`,
    ...few('missed', score.missed),
    ...few('invented', score.invented),
    ...few('states', states.wrong),
    ...few('times', times.wrong),
    ...few('ends', ends.wrong),
    ...few('phases', phases.wrong),
    ...few('modifications too low', modifications.low),
    ...few('modifications too high', modifications.high),
    ...few('causes', causes.wrong),
    ...few('named', causes.named),
    ...few('false alarms', falseAlarms.examples),
  ].join('\n')
}

const COLUMNS: readonly (readonly [title: string, of: (score: Score) => number])[] = [
  ['upgrades', ({ real }) => real],
  ['missed', ({ missed }) => missed.length],
  ['invented', ({ invented }) => invented.length],
  ['outcomes wrong', ({ states }) => states.wrong.length],
  ['ends wrong', ({ ends }) => ends.wrong.length],
  ['ends unknown', ({ ends }) => ends.unknown],
  ['phases wrong', ({ phases }) => phases.wrong.length],
  ['times told', ({ times }) => times.told],
  ['times wrong', ({ times }) => times.wrong.length],
  ['edits', ({ modifications: { right, low, high } }) => right + low.length + high.length],
  ['too low', ({ modifications }) => modifications.low.length],
  ['too high', ({ modifications }) => modifications.high.length],
  ['stalls', ({ stalls, waits }) => stalls.count + waits.count],
  ['causes', ({ causes }) => causes.listed],
  ['causes wrong', ({ causes }) => causes.wrong.length + causes.named.length],
  ['false alarms', ({ falseAlarms }) => falseAlarms.examples.length],
]

/** A line for each trial, all that is wrong in columns of its own. */
export function renderTable(scores: readonly (readonly [name: string, score: Score])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(['', ...COLUMNS.map(([title]) => title)]),
    line(['', ...COLUMNS].map(() => '---')),
    ...scores.map(([name, score]) => line([name, ...COLUMNS.map(([, of]) => String(of(score)))])),
  ].join('\n')
}
