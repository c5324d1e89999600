import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  durationText,
  endOf,
  FIX_WINDOW_MS,
  SILENT_BEFORE_END_MS,
  UPGRADE_WINDOW_MS,
  type EndFacts,
} from '../../../src/fleet/outcomes/end-cause.ts'
import { workStateOf } from '../../../src/fleet/outcomes/work-state.ts'
import { END_CAUSES, WORK_KINDS, type RunbookStep, type WorkEntry } from '../../../src/model/runbook-work.ts'
import type { UpgradeSpan } from '../../../src/model/upgrade.ts'

const MINUTE_MS = 60_000
const FIRED_MS = 1_000_000_000
const END_MS = FIRED_MS + 120 * MINUTE_MS

const STEPS: readonly RunbookStep[] = [
  { key: 'd1', section: 'diagnosis', text: 'Which pods are down?' },
  { key: 'm1', section: 'mitigation', text: 'Restart the pod.' },
  { key: 'm2', section: 'mitigation', text: 'Add a node.' },
]
const BY_KEY = new Map(STEPS.map((step) => [step.key, step]))

type Given = Partial<Pick<WorkEntry, 'by' | 'step' | 'text'>> & Pick<WorkEntry, 'kind' | 'atMs'>

function entries(given: readonly Given[]): readonly WorkEntry[] {
  return given.map((one, i) => ({
    ...{ fingerprint: 'f', activeAtMs: FIRED_MS, number: i + 1, cluster: 'c', alertname: 'A', runbook: 'A' },
    ...{ revision: 'r', by: 'ada' },
    ...one,
  }))
}

function upgrade(startedMs: number, endedMs?: number, more: Partial<UpgradeSpan> = {}): UpgradeSpan {
  const state = endedMs === undefined ? 'in_progress' : 'succeeded'
  const times = { startedMs, ...(endedMs === undefined ? {} : { endedMs }) }
  return {
    id: 'u',
    cluster: 'c',
    operator: 'kubevirt-hyperconverged',
    to: '1.18.0',
    state,
    ...times,
    resolutionSeconds: 0,
    ...more,
  }
}

function facts(given: readonly Given[] = [], more: Partial<EndFacts> = {}): EndFacts {
  return {
    run: { firedAtMs: FIRED_MS, resolvedAtMs: END_MS },
    work: workStateOf(entries(given)),
    steps: BY_KEY,
    upgrades: [],
    cluster: { kind: 'known', lastSeenMs: END_MS + MINUTE_MS },
    ...more,
  }
}

const cause = (given: readonly Given[] = [], more: Partial<EndFacts> = {}) => endOf(facts(given, more))?.cause

describe('what ended an alert', () => {
  test('is not known while it fires, whatever is recorded', () => {
    expect(
      endOf(facts([{ kind: 'helped', step: 'm1', atMs: END_MS }], { run: { firedAtMs: FIRED_MS } })),
    ).toBeUndefined()
  })

  test('is a fix when a mitigation step is marked, also after the end', () => {
    const verdict = endOf(facts([{ kind: 'helped', step: 'm1', atMs: END_MS + 60 * MINUTE_MS }]))
    expect(verdict).toEqual({
      cause: 'fix',
      isStated: false,
      step: 'm1',
      evidence: ['ada marked a step as the fix: Restart the pod.'],
    })
    const both = [
      { kind: 'helped', step: 'm2', atMs: END_MS + 1 },
      { kind: 'helped', step: 'm1', atMs: END_MS },
    ] as const
    expect(endOf(facts(both))?.step).toBe('m2')
    expect(cause([...both, { kind: 'not_helped', step: 'm2', atMs: END_MS + 2 }])).toBe('fix')
    // A marked step of a text that is no longer stored is still what a person has marked.
    expect(endOf(facts([{ kind: 'helped', step: 'old', atMs: END_MS }]))).toMatchObject({ cause: 'fix', step: 'old' })
  })

  test.each([
    [0, 'fix'],
    [FIX_WINDOW_MS, 'fix'],
    [FIX_WINDOW_MS + 1, 'unknown'],
    [-1, 'unknown'],
  ] as const)('is a fix when a mitigation step was ticked %i ms before the end: %s', (beforeMs, expected) => {
    const verdict = endOf(facts([{ kind: 'tick', step: 'm1', atMs: END_MS - beforeMs }]))
    expect([verdict?.cause, verdict?.step]).toEqual([expected, expected === 'fix' ? 'm1' : undefined])
  })

  test('says how a ticked step counts, and counts the last one', () => {
    const verdict = endOf(
      facts([
        { kind: 'tick', step: 'm2', atMs: END_MS - 4 * MINUTE_MS },
        { kind: 'tick', step: 'm1', atMs: END_MS - 5 * MINUTE_MS },
      ]),
    )
    expect(verdict?.evidence).toEqual([
      'A mitigation step was ticked 4 min before the end: Add a node.',
      'No step is marked as the fix.',
    ])
  })

  test('is unknown when only the cause was looked for, when only notes were written, or when somebody only acknowledged', () => {
    const diagnosed = endOf(
      facts([
        { kind: 'tick', step: 'd1', atMs: END_MS - 1 },
        { kind: 'helped', step: 'd1', atMs: END_MS - 1 },
      ]),
    )
    expect(diagnosed?.cause).toBe('unknown')
    expect(diagnosed?.evidence).toEqual(['1 step was ticked; no mitigation step shortly before the end.'])
    expect(endOf(facts([{ kind: 'note', text: 'x', atMs: END_MS }]))?.evidence).toEqual([
      '0 steps were ticked, 1 note; no mitigation step shortly before the end.',
    ])
    const run = { firedAtMs: FIRED_MS, resolvedAtMs: END_MS, acknowledgedBy: 'bo' }
    expect(endOf(facts([], { run }))).toMatchObject({
      cause: 'unknown',
      evidence: ['bo acknowledged the alert; no step is recorded.'],
    })
  })

  test.each([
    ['at the end', END_MS, 'upgrade_ended'],
    ['at the start of the window', END_MS - UPGRADE_WINDOW_MS, 'upgrade_ended'],
    ['before the window', END_MS - UPGRADE_WINDOW_MS - 1, 'by_itself'],
    ['after the end', END_MS + 1, 'unknown'],
  ] as const)('with an upgrade that ended %s', (_, endedMs, expected) => {
    expect(cause([], { upgrades: [upgrade(FIRED_MS - 1, endedMs)] })).toBe(expected)
  })

  test('counts only an upgrade that ended while the alert fired, as exactly as its times are', () => {
    const run = { firedAtMs: END_MS - MINUTE_MS, resolvedAtMs: END_MS }
    const ended = (endedMs: number, resolutionSeconds: number) =>
      cause([], { run, upgrades: [upgrade(FIRED_MS, endedMs, { resolutionSeconds })] })
    expect(ended(END_MS - MINUTE_MS - 1, 0)).toBe('by_itself')
    expect(ended(END_MS - MINUTE_MS, 0)).toBe('upgrade_ended')
    expect(ended(END_MS - 2 * MINUTE_MS, 60)).toBe('upgrade_ended')
    expect(ended(END_MS + 30_000, 30)).toBe('upgrade_ended')
    expect(ended(END_MS + 30_001, 30)).toBe('unknown')
    const several = [upgrade(FIRED_MS, END_MS - 9), upgrade(FIRED_MS, END_MS - 5, { id: 'last' })]
    expect(endOf(facts([], { upgrades: several }))?.upgradeId).toBe('last')
  })

  test('is unknown during an upgrade, and where a step and an upgrade compete', () => {
    expect(cause([], { upgrades: [upgrade(END_MS)] })).toBe('unknown')
    expect(cause([], { upgrades: [upgrade(END_MS + 1)] })).toBe('by_itself')
    expect(cause([], { upgrades: [upgrade(FIRED_MS, undefined, { state: 'unknown' })] })).toBe('by_itself')
    const tick = [{ kind: 'tick', step: 'm1', atMs: END_MS - 1 }] as const
    const verdict = endOf(facts(tick, { upgrades: [upgrade(FIRED_MS, END_MS - MINUTE_MS)] }))
    expect(verdict).toMatchObject({ cause: 'unknown' })
    expect(verdict?.evidence).toHaveLength(2)
    expect(cause(tick, { upgrades: [upgrade(FIRED_MS)] })).toBe('unknown')
  })

  test('is unknown of a cluster that is not known, or that no longer reported', () => {
    expect(cause([], { cluster: { kind: 'unknown' } })).toBe('unknown')
    expect(cause([], { cluster: { kind: 'none' } })).toBe('by_itself')
    expect(cause([], { cluster: { kind: 'known' } })).toBe('unknown')
    const seen = (lastSeenMs: number) => cause([], { cluster: { kind: 'known', lastSeenMs } })
    expect([seen(END_MS - SILENT_BEFORE_END_MS), seen(END_MS - SILENT_BEFORE_END_MS - 1)]).toEqual([
      'by_itself',
      'unknown',
    ])
  })

  test('is what a person states, until the statement is withdrawn', () => {
    const given: Given[] = [
      { kind: 'helped', step: 'm1', atMs: END_MS },
      { kind: 'end', text: 'fix', step: 'm2', atMs: END_MS, by: 'bo' },
    ]
    expect(endOf(facts(given))).toEqual({
      ...{ cause: 'fix', isStated: true, step: 'm2' },
      evidence: ['Stated by bo.', 'Step: Add a node.'],
    })
    expect(endOf(facts([...given, { kind: 'end', text: 'by_itself', atMs: END_MS }]))).toMatchObject({
      ...{ cause: 'by_itself', isStated: true },
      evidence: ['Stated by ada.'],
    })
    expect(endOf(facts([...given, { kind: 'end', text: 'derived', atMs: END_MS }]))).toMatchObject({
      ...{ cause: 'fix', isStated: false, step: 'm1' },
    })
  })
})

const anyTime = fc.integer({ min: FIRED_MS - 200 * MINUTE_MS, max: END_MS + 200 * MINUTE_MS })
const anyGiven: fc.Arbitrary<Given> = fc
  .record({
    kind: fc.constantFrom(...WORK_KINDS),
    atMs: anyTime,
    step: fc.constantFrom('d1', 'm1', 'm2', 'gone'),
    cause: fc.constantFrom(...END_CAUSES, 'derived' as const),
    by: fc.constantFrom('ada', 'bo'),
  })
  .map(({ cause: stated, ...one }) => (one.kind === 'end' ? { ...one, text: stated } : one))
const anyUpgrade = fc
  .record({
    startedMs: anyTime,
    lengthMs: fc.option(fc.integer({ min: 0, max: 300 * MINUTE_MS }), { nil: undefined }),
    resolutionSeconds: fc.constantFrom(0, 1, 60),
  })
  .map(({ startedMs, lengthMs, resolutionSeconds }) =>
    upgrade(startedMs, lengthMs === undefined ? undefined : startedMs + lengthMs, { resolutionSeconds }),
  )
const anyFacts: fc.Arbitrary<{ readonly given: Given[]; readonly facts: EndFacts }> = fc
  .record({
    given: fc.array(anyGiven, { maxLength: 8 }),
    upgrades: fc.array(anyUpgrade, { maxLength: 3 }),
    resolved: fc.boolean(),
    acknowledged: fc.boolean(),
    kind: fc.constantFrom('none', 'unknown', 'known'),
    lastSeenMs: fc.option(anyTime, { nil: undefined }),
  })
  .map(({ given, upgrades, resolved, acknowledged, kind, lastSeenMs }) => {
    const run = {
      firedAtMs: FIRED_MS,
      ...(resolved ? { resolvedAtMs: END_MS } : {}),
      ...(acknowledged ? { acknowledgedBy: 'bo' } : {}),
    }
    const cluster: EndFacts['cluster'] =
      kind === 'known' ? { kind, ...(lastSeenMs === undefined ? {} : { lastSeenMs }) } : { kind: kind as 'none' }
    return { given, facts: facts(given, { run, upgrades, cluster }) }
  })

describe('for any records', () => {
  test('there is a cause with evidence exactly when the alert has ended', () => {
    fc.assert(
      fc.property(anyFacts, ({ facts: any }) => {
        const verdict = endOf(any)
        if (any.run.resolvedAtMs === undefined) return verdict === undefined
        if (verdict === undefined || verdict.evidence.length === 0) return false
        return (verdict.cause === 'upgrade_ended' && !verdict.isStated) === (verdict.upgradeId !== undefined)
      }),
      { numRuns: 2000 },
    )
  })

  test('a statement wins over all else', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(...END_CAUSES), ({ given, facts: any }, stated) => {
        const work = workStateOf(entries([...given, { kind: 'end', text: stated, atMs: END_MS }]))
        const verdict = endOf({ ...any, work })
        return any.run.resolvedAtMs === undefined || (verdict?.cause === stated && verdict.isStated)
      }),
    )
  })

  test('by itself means: nothing recorded, nobody acknowledged, no upgrade at the end or shortly before', () => {
    fc.assert(
      fc.property(anyFacts, ({ given, facts: any }) => {
        const verdict = endOf(any)
        if (verdict?.cause !== 'by_itself' || verdict.isStated) return true
        const isFree = any.upgrades.every(({ startedMs, endedMs }) => startedMs! > END_MS || endedMs! <= END_MS)
        return given.length === 0 && any.run.acknowledgedBy === undefined && isFree
      }),
      { numRuns: 2000 },
    )
  })

  test('a moved clock, the order of upgrades and those long before change nothing', () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: -1_000_000, max: 1_000_000 }), ({ given, facts: any }, byMs) => {
        const before = endOf(any)
        const old = upgrade(FIRED_MS - 900 * MINUTE_MS, FIRED_MS - 800 * MINUTE_MS, { id: 'old' })
        expect(endOf({ ...any, upgrades: [...any.upgrades, old] })).toEqual(before)
        expect(endOf({ ...any, upgrades: any.upgrades.toReversed() })?.cause).toBe(before?.cause)
        const moved: EndFacts = {
          ...any,
          run: {
            ...any.run,
            firedAtMs: FIRED_MS + byMs,
            ...(any.run.resolvedAtMs === undefined ? {} : { resolvedAtMs: END_MS + byMs }),
          },
          work: workStateOf(entries(given.map((one) => ({ ...one, atMs: one.atMs + byMs })))),
          upgrades: any.upgrades.map(({ startedMs, endedMs, ...one }) => ({
            ...one,
            startedMs: startedMs! + byMs,
            ...(endedMs === undefined ? {} : { endedMs: endedMs + byMs }),
          })),
          cluster:
            any.cluster.kind === 'known' && any.cluster.lastSeenMs !== undefined
              ? { kind: 'known', lastSeenMs: any.cluster.lastSeenMs + byMs }
              : any.cluster,
        }
        expect(endOf(moved)).toEqual(before)
      }),
      { numRuns: 1000 },
    )
  })

  test('an entry that is withdrawn leaves no state', () => {
    fc.assert(
      fc.property(fc.array(anyGiven, { maxLength: 8 }), fc.constantFrom('m1', 'd1'), (given, step) => {
        const withdrawn: Given[] = [
          ...given,
          { kind: 'untick', step, atMs: END_MS },
          { kind: 'not_helped', step, atMs: END_MS },
        ]
        return !workStateOf(entries(withdrawn)).steps.has(step)
      }),
    )
  })
})

test('durations are in words', () => {
  expect([0, 59_499, 60_000, 3_600_000, 3_900_000, 48 * 3_600_000, -5].map(durationText)).toEqual([
    ...['0 s', '59 s', '1 min', '1 h', '1 h 5 min', '2 d', '0 s'],
  ])
})
