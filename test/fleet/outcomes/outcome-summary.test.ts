import { expect, test } from 'vitest'
import { outcomeRuns, type OutcomeFacts } from '../../../src/fleet/outcomes/outcome-runs.ts'
import { revisionOutcomes, stepOutcomes, summaryOf } from '../../../src/fleet/outcomes/outcome-summary.ts'
import type { StoredAlertRun } from '../../../src/model/alert-run.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { RunbookRevision, RunbookStep, WorkEntry } from '../../../src/model/runbook-work.ts'

const MINUTE_MS = 60_000
const NOW_MS = 1_000_000_000

const step = (key: string, section: RunbookStep['section'] = 'mitigation'): RunbookStep => {
  return { key, section, text: `Text of ${key}.` }
}
const REVISIONS: readonly RunbookRevision[] = [
  { runbook: 'A', revision: 'r1', fromMs: 100 * MINUTE_MS, steps: [step('d1', 'diagnosis'), step('m1'), step('old')] },
  { runbook: 'A', revision: 'r2', fromMs: 200 * MINUTE_MS, steps: [step('d1', 'diagnosis'), step('m1'), step('m2')] },
]

function run(minute: number, minutes: number | undefined, more: Partial<StoredAlertRun> = {}): StoredAlertRun {
  const firedAtMs = minute * MINUTE_MS
  return {
    fingerprint: `f${minute}`,
    labels: Labels.of({ alertname: 'A', cluster: 'c' }),
    annotations: {},
    ...{ activeAtMs: firedAtMs - MINUTE_MS, firedAtMs },
    ...(minutes === undefined ? {} : { resolvedAtMs: firedAtMs + minutes * MINUTE_MS }),
    ...more,
  }
}

function entry(of: StoredAlertRun, number: number, minutes: number, more: Partial<WorkEntry>): WorkEntry {
  return {
    ...{ fingerprint: of.fingerprint, activeAtMs: of.activeAtMs, number, cluster: 'c', alertname: 'A', runbook: 'A' },
    ...{ revision: 'r1', atMs: of.firedAtMs + minutes * MINUTE_MS, by: 'ada', kind: 'tick' },
    ...more,
  }
}

const [A, B, C, D, E] = [run(50, 10), run(120, 20), run(150, 40), run(210, 30), run(220, undefined)]
const ENTRIES: readonly WorkEntry[] = [
  entry(B, 1, 4, { step: 'd1' }),
  entry(B, 2, 5, { step: 'm1' }),
  entry(B, 3, 19, { step: 'm1', kind: 'helped' }),
  entry(C, 1, 8, { step: 'm1', by: 'bo' }),
  entry(C, 2, 9, { step: 'old' }),
  // Worked by the new text although it fired under the old one.
  entry(D, 1, 31, { step: 'd1', revision: 'r2' }),
]

const facts = (more: Partial<OutcomeFacts> = {}): OutcomeFacts => ({
  runs: [A, B, C, D, E],
  entries: ENTRIES,
  revisions: REVISIONS,
  upgrades: [],
  reports: new Map([['c', { cluster: 'c', lastSeenMs: NOW_MS }]]),
  ...more,
})

test('an occurrence has the revision of its work, otherwise the one in use when it fired, or none', () => {
  expect(outcomeRuns(facts()).map(({ revision }) => revision)).toEqual([undefined, 'r1', 'r1', 'r2', 'r2'])
  const late = [entry(B, 1, 4, { step: 'm1', revision: 'r2' })]
  expect(outcomeRuns(facts({ entries: late }))[1]!.revision).toBe('r2')
  const atOnce = run(100, 1)
  expect(outcomeRuns(facts({ runs: [atOnce] }))[0]!.revision).toBe('r1')
})

test('the acknowledgement is the first of a stated one and the first entry, if it was before the end', () => {
  const stated = { acknowledgedBy: 'bo', acknowledgedAtMs: B.firedAtMs + 2 * MINUTE_MS }
  const after = { acknowledgedBy: 'bo', acknowledgedAtMs: B.firedAtMs + 21 * MINUTE_MS }
  const of = (more: Partial<StoredAlertRun>) => outcomeRuns(facts({ runs: [{ ...B, ...more }] }))[0]!.acknowledged
  expect(of(stated)).toEqual({ by: 'bo', atMs: B.firedAtMs + 2 * MINUTE_MS })
  expect(of({})).toEqual({ by: 'ada', atMs: B.firedAtMs + 4 * MINUTE_MS })
  expect(of(after)).toEqual({ by: 'ada', atMs: B.firedAtMs + 4 * MINUTE_MS })
  // D was worked on after its end only.
  expect(outcomeRuns(facts()).map(({ acknowledged }) => acknowledged?.by)).toEqual([
    ...[undefined, 'ada', 'bo', undefined, undefined],
  ])
})

test('times count alerts that nobody acknowledged, and firing ones, as observed until their end or now', () => {
  const nowMs = 230 * MINUTE_MS
  const summary = summaryOf(outcomeRuns(facts()), nowMs)
  expect(summary).toMatchObject({
    ...{ runs: 5, firing: 1, worked: 3, stated: 0 },
    ended: { fix: 2, upgrade_ended: 0, by_itself: 1, unknown: 1 },
    // 4 and 8 min, with three of 10, 30 and 10 min without: half are acknowledged by no time that was observed.
    acknowledge: { complete: 2, of: 5 },
    resolve: { complete: 4, of: 5, p50Seconds: 30 * 60, p90Seconds: 40 * 60 },
  })
  expect(summary.acknowledge.p50Seconds).toBeUndefined()
  expect(summary.resolve.p50Low).toBeLessThanOrEqual(1800)
  expect(summaryOf([], nowMs)).toMatchObject({ runs: 0, resolve: { complete: 0, of: 0 } })
  const early = { ...B, acknowledgedBy: 'bo', acknowledgedAtMs: B.activeAtMs }
  expect(summaryOf(outcomeRuns(facts({ runs: [early] })), nowMs).acknowledge.p50Seconds).toBe(0)
})

test('revisions are newest first, each with its own occurrences; those of no recorded revision are last', () => {
  const outcomes = revisionOutcomes(outcomeRuns(facts()), REVISIONS, NOW_MS)
  expect(outcomes.map(({ revision, fromMs, summary }) => [revision, fromMs, summary.runs])).toEqual([
    ['r2', 200 * MINUTE_MS, 2],
    ['r1', 100 * MINUTE_MS, 2],
    [undefined, undefined, 1],
  ])
  const again = [...REVISIONS, { ...REVISIONS[0]!, fromMs: 300 * MINUTE_MS }]
  expect(revisionOutcomes([], again, NOW_MS).map(({ revision, fromMs }) => [revision, fromMs])).toEqual([
    ['r1', 300 * MINUTE_MS],
    ['r2', 200 * MINUTE_MS],
  ])
})

test('steps that never helped are first; each counts among the worked occurrences whose revision has it', () => {
  const outcomes = stepOutcomes(outcomeRuns(facts()), REVISIONS)
  expect(outcomes.map(({ key, ticked, of, helped, isCurrent }) => [key, ticked, of, helped, isCurrent])).toEqual([
    ['d1', 2, 3, 0, true],
    ['m2', 0, 1, 0, true],
    ['m1', 2, 3, 1, true],
    ['old', 1, 2, 0, false],
  ])
  expect(outcomes[0]!.interval!.low).toBe(0)
  expect(outcomes[0]!.interval!.high).toBeCloseTo(0.6576, 3)
  expect(outcomes[1]!.interval).toBeUndefined()
  // Without work, all steps of the newest revision are there and say so.
  const none = stepOutcomes(outcomeRuns(facts({ entries: [] })), REVISIONS)
  expect(none.map(({ key, of }) => [key, of])).toEqual([
    ['d1', 0],
    ['m1', 0],
    ['m2', 0],
  ])
  expect(stepOutcomes([], [])).toEqual([])
})

test('an alert of an unknown cluster, and one without a cluster', () => {
  const [unknown] = outcomeRuns(facts({ runs: [A], reports: new Map() }))
  expect(unknown!.end).toMatchObject({ cause: 'unknown' })
  const own = { ...A, labels: Labels.of({ alertname: 'A' }) }
  expect(outcomeRuns(facts({ runs: [own], reports: new Map() }))[0]!.end).toMatchObject({ cause: 'by_itself' })
})
