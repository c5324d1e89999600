import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createStuckJudge, isOpen, type LastSeen } from '../../../src/fleet/stuck/stuck.ts'
import { learnBaselines } from '../learn-baselines.ts'
import type { BlockCause, PhaseName, UpgradeState } from '../../../src/model/upgrade.ts'
import { MINUTE_MS, phase, recordOf, T0, type RecordScript } from '../edge-script.ts'

/** One minute in every phase: stuck after the least threshold, four minutes. */
const QUICK = learnBaselines(
  Array.from({ length: 10 }, (_, i) =>
    recordOf({
      cluster: `c-${i}`,
      startMinute: 0,
      endMinute: 9,
      phases: ['olm', 'olm.pending', 'operands', 'operands.cdi', 'operands.kubevirt', 'settle', 'offered'].map((name) =>
        phase(name as PhaseName, 0, 1),
      ),
    }),
  ),
)
const NOTHING = learnBaselines([])
const at = (minute: number): number => T0 + minute * MINUTE_MS
const judge = (script: RecordScript, minute: number, lastSeen?: LastSeen, baselines = QUICK) =>
  createStuckJudge(baselines)(recordOf({ startMinute: 0, seenMinute: minute, ...script }), at(minute), lastSeen)

test.each([
  ['within its threshold', 4, false],
  ['a moment beyond it', 4.1, true],
])('a phase %s', (_, minute, isStuck) => {
  const verdict = judge({ phases: [phase('settle', 0)] }, minute)
  expect(verdict).toMatchObject({ isStuck, phase: 'settle', phaseSinceMs: T0 })
  expect(verdict.baseline).toMatchObject({ learnedFrom: 'edge', thresholdSeconds: 240 })
  expect(verdict.causes.length).toBe(isStuck ? 1 : 0)
})

test('until anything is learned a quarter of an hour counts', () => {
  expect(judge({ phases: [phase('settle', 0)] }, 14, undefined, NOTHING).isStuck).toBe(false)
  expect(judge({ phases: [phase('settle', 0)] }, 16, undefined, NOTHING).isStuck).toBe(true)
})

test('whoever gets further is not stuck, however long the phase lasts', () => {
  const script = { phases: [phase('settle', 0)], progressMinute: 57 }
  expect(judge(script, 60).isStuck).toBe(false)
  expect(judge(script, 62)).toMatchObject({ isStuck: true, stalledSinceMs: at(57), phaseSinceMs: T0 })
})

test('it stands in the innermost phase, and the parts say so', () => {
  const phases = [phase('olm', 0), phase('olm.pending', 0)]
  expect(judge({ phases }, 9).phase).toBe('olm.pending')
  const rollout = [phase('operands', 0), phase('operands.kubevirt', 0), phase('virt_handler.canary', 1)]
  expect(judge({ phases: rollout }, 3).phase).toBe('virt_handler.canary')
})

test('with two operands under way it is stuck only when both are', () => {
  // Nothing is learned of ssp, so the seed's quarter of an hour counts for it.
  const phases = [phase('operands', 0), phase('operands.cdi', 0), phase('operands.ssp', 0)]
  const baselines = learnBaselines(
    Array.from({ length: 10 }, (_, i) =>
      recordOf({ cluster: `c-${i}`, startMinute: 0, endMinute: 9, phases: [phase('operands.cdi', 0, 1)] }),
    ),
  )
  expect(judge({ phases }, 10, undefined, baselines).isStuck).toBe(false)
  expect(judge({ phases }, 16, undefined, baselines)).toMatchObject({ isStuck: true, phase: 'operands.cdi' })
})

const failed = { phase: 'Failed', reason: 'InstallCheckFailed', startedMs: at(1) }

test.each([
  ['stands in the failed phase', [phase('olm', 0), phase('olm.installing', 1, 2, 'failed')], {}],
  ['goes round is no better', [phase('olm', 0), phase('olm.installing', 1)], { csvSteps: [failed] }],
])('an install that fails and is tried again %s', (_, phases, detail) => {
  expect(judge({ phases, progressMinute: 1, detail }, 2.9).isStuck).toBe(false)
  expect(judge({ phases, progressMinute: 1, detail }, 3.1)).toMatchObject({ isStuck: true, phase: 'olm.installing' })
})

test('an install that waits for its pods has as long as OLM gives it, however quick it usually is', () => {
  expect(judge({ phases: [phase('olm', 0)] }, 5.9).isStuck).toBe(false)
  expect(judge({ phases: [phase('olm', 0)] }, 6.1).isStuck).toBe(true)
})

describe('a cause that shows', () => {
  const told = (cause: BlockCause) => ({ cause, text: '', evidence: [] })

  test.each([
    ['is believed before anything is learned', 'settle', 'reconcile_error', 5],
    ['that cannot stop the phase changes nothing', 'settle', 'not_upgradeable', 15],
    ['gives a node ten minutes', 'platform.worker', 'node_drain_blocked', 10],
    ['makes nobody hurry who approves', 'approval', 'approval_waiting', 24 * 60],
    ['makes no machine hurry', 'workloads', 'migrations_pending', 60],
  ] as const)('%s', (_, name, cause, minutes) => {
    const script = { phases: [phase(name, 0)], blockedBy: told(cause) }
    expect(judge(script, minutes - 0.1, undefined, NOTHING).isStuck).toBe(false)
    expect(judge(script, minutes + 0.1, undefined, NOTHING).isStuck).toBe(true)
  })

  test('stops an upgrade that OLM could not even plan; without one nothing says that it should begin', () => {
    const { upgrade, detail } = recordOf({ phases: [phase('offered', 0, 0)], seenMinute: 30 })
    expect(createStuckJudge(QUICK)({ upgrade, detail }, at(30)).isStuck).toBe(false)
    const blocked = { ...upgrade, blockedBy: told('resolution_failed') }
    expect(createStuckJudge(QUICK)({ upgrade: blocked, detail }, at(4)).isStuck).toBe(false)
    expect(createStuckJudge(QUICK)({ upgrade: blocked, detail }, at(6))).toMatchObject({
      isStuck: true,
      causes: [{ cause: 'resolution_failed' }],
    })
  })
})

test('machines that move are no progress of what HCO still waits for', () => {
  const phases = [phase('operands', 0, 10), phase('settle', 10), phase('workloads', 9)]
  expect(judge({ phases, progressMinute: 19 }, 20)).toMatchObject({
    isStuck: true,
    phase: 'settle',
    stalledSinceMs: at(10),
  })
})

describe('the platform', () => {
  test.each([
    ['pools that are not told of take a day', [phase('platform', 0)], 23, 25],
    ['its operators before the pools take hours', [phase('platform', 0), phase('platform.master', 0, 60)], 4, 6],
  ])('%s', (_, phases, calmHours, stuckHours) => {
    expect(judge({ operator: 'openshift', phases }, calmHours * 60).isStuck).toBe(false)
    expect(judge({ operator: 'openshift', phases }, stuckHours * 60).isStuck).toBe(true)
  })

  test('pools that go on after its own word may be paused; a node that cannot be drained is not', () => {
    const script = {
      operator: 'openshift',
      endMinute: 5,
      seenMinute: 600,
      phases: [phase('platform.worker', 5)],
    } as const
    expect(judge(script, 600).isStuck).toBe(false)
    const blockedBy = { cause: 'node_drain_blocked', text: '', evidence: [] } as const
    expect(judge({ ...script, blockedBy }, 600)).toMatchObject({ isStuck: true, phase: 'platform.worker' })
  })
})

test('an install that waits for pods has failed after what OLM gives it, before anything is learned', () => {
  const step = { phase: 'Installing', reason: 'InstallWaiting', startedMs: T0 }
  const script = { phases: [phase('olm', 0), phase('olm.installing', 0)], detail: { csvSteps: [step] } }
  expect(judge(script, 5.9, undefined, NOTHING).isStuck).toBe(false)
  expect(judge(script, 6.1, undefined, NOTHING)).toMatchObject({
    isStuck: true,
    causes: [{ cause: 'install_failing' }],
  })
})

test('after OLM nothing shows that it runs: it may well be over, so it is not called stuck', () => {
  const record = recordOf({ startMinute: 0, phases: [phase('olm', 0, 2)], seenMinute: 600 })
  expect(createStuckJudge(NOTHING)(record, at(600))).toMatchObject({ isStuck: false })
})

test('a phase of which only that it runs is known is as exact as its upgrade', () => {
  const dark = { name: 'settle', state: 'in_progress', resolutionSeconds: 1, isReconstructed: false } as const
  const { upgrade, detail } = recordOf({ startMinute: 0, phases: [dark], progressMinute: 0, seenMinute: 9 })
  const scraped = { upgrade: { ...upgrade, resolutionSeconds: 30 }, detail }
  expect(createStuckJudge(QUICK)(scraped, at(4.9)).isStuck).toBe(false)
  expect(createStuckJudge(QUICK)(scraped, at(5.1))).toMatchObject({ isStuck: true, phase: 'settle' })
})

test('times from scrapes are given one scrape at both ends', () => {
  const scraped = { ...phase('settle', 0), resolutionSeconds: 30 }
  expect(judge({ phases: [scraped] }, 4.9).isStuck).toBe(false)
  expect(judge({ phases: [scraped] }, 5.1).isStuck).toBe(true)
})

describe('what has thresholds of its own', () => {
  test.each([
    ['an approval that waits for hours', 'approval', 20 * 60, false],
    ['an approval that waits for days', 'approval', 25 * 60, true],
    ['nodes that are drained one by one', 'platform.worker', 40, false],
    ['a node that is not drained', 'platform.worker', 50, true],
  ] as const)('%s', (_, name, minute, isStuck) => {
    expect(judge({ phases: [phase(name, 0)] }, minute).isStuck).toBe(isStuck)
  })

  test('machines that move, however slowly, are not stuck; a gauge that stays flat is', () => {
    const script = { state: 'succeeded', endMinute: 10, phases: [phase('workloads', 10)] } as const
    const days = 3 * 24 * 60
    expect(judge({ ...script, seenMinute: days, progressMinute: days - 20 }, days).isStuck).toBe(false)
    expect(judge({ ...script, seenMinute: days, progressMinute: days - 70 }, days)).toMatchObject({
      isStuck: true,
      phase: 'workloads',
    })
  })

  test('while the control plane runs, machines of the upgrade before are no matter', () => {
    const phases = [phase('workloads', 0), phase('settle', 58)]
    expect(judge({ phases }, 60)).toMatchObject({ isStuck: false, phase: 'settle' })
  })
})

describe('a silent cluster', () => {
  const script = { phases: [phase('settle', 0)], seenMinute: 2 }

  test('is not stuck: nobody knows', () => {
    const verdict = judge(script, 10, { metricsMs: at(2) })
    expect(verdict).toMatchObject({ isStuck: false, silentSinceMs: at(2), causes: [] })
  })

  test('that was stuck before is stuck', () => {
    const verdict = judge({ ...script, seenMinute: 9 }, 600, { metricsMs: at(9) })
    expect(verdict).toMatchObject({ isStuck: true, silentSinceMs: at(9) })
  })

  test('that only tells changes says by silence that there are none, until the next listing is due', () => {
    expect(judge(script, 10, { objectsMs: at(2) })).toMatchObject({ isStuck: true })
    expect(judge({ phases: [phase('settle', 0)], seenMinute: 0 }, 3, { objectsMs: at(0) }).isStuck).toBe(false)
    const lost = judge({ phases: [phase('platform.worker', 0)], seenMinute: 0 }, 300, {
      objectsMs: T0 - 10 * MINUTE_MS,
    })
    expect(lost).toMatchObject({ isStuck: false, silentSinceMs: T0 })
  })

  test('whose scrapes stopped long ago is judged by its objects alone', () => {
    const verdict = judge({ ...script, seenMinute: 60, progressMinute: 60 }, 70, {
      metricsMs: at(2),
      objectsMs: at(60),
    })
    expect(verdict).toMatchObject({ isStuck: true })
  })
})

test.each([
  ['no time at all', {}],
  ['phases that nobody knows of, in an upgrade that has ended', { state: 'unknown', phases: [phase('settle', 0)] }],
  ['an upgrade that was given up', { state: 'superseded', phases: [phase('olm.pending', 0)] }],
] as const)('of %s there is no verdict', (_, script) => {
  const record = recordOf({ seenMinute: 1000, ...script })
  expect(createStuckJudge(QUICK)(record, at(1000))).toMatchObject({ isStuck: false, causes: [] })
})

test('an upgrade of which only the start is known is judged by the seed', () => {
  expect(judge({ seenMinute: 14 }, 14).isStuck).toBe(false)
  const verdict = judge({ seenMinute: 20 }, 20)
  expect(verdict).toMatchObject({ isStuck: true, stalledSinceMs: T0 })
  expect(verdict).not.toHaveProperty('phase')
})

test('an upgrade is open while it runs and while its machines follow', () => {
  expect(isOpen(recordOf({ startMinute: 0 }))).toBe(true)
  expect(isOpen(recordOf({ startMinute: 0, endMinute: 1 }))).toBe(false)
  expect(isOpen(recordOf({ startMinute: 0, endMinute: 1, phases: [phase('workloads', 1)] }))).toBe(true)
  expect(isOpen(recordOf({ startMinute: 0, endMinute: 1, state: 'failed', phases: [phase('workloads', 1)] }))).toBe(
    false,
  )
})

const anyRecord = fc
  .record({
    state: fc.constantFrom<UpgradeState>('in_progress', 'succeeded', 'failed', 'unknown'),
    phases: fc.array(
      fc
        .tuple(
          fc.constantFrom<PhaseName>(
            'approval',
            'olm',
            'olm.pending',
            'operands.cdi',
            'settle',
            'workloads',
            'platform',
          ),
          fc.nat(50),
          fc.option(fc.nat(50), { nil: undefined }),
        )
        .map(([name, from, length]) => phase(name, from, length === undefined ? undefined : from + length)),
      { maxLength: 5 },
    ),
    progressMinute: fc.nat(60),
    seenMinute: fc.nat(2000),
    startMinute: fc.nat(50),
  })
  .map(recordOf)
const anyHeard = fc.record({ metricsMs: fc.nat(2000).map(at), objectsMs: fc.nat(2000).map(at) }, { requiredKeys: [] })

test('a verdict never turns back with time alone, and never precedes its evidence', () => {
  fc.assert(
    fc.property(anyRecord, anyHeard, fc.nat(3000), fc.nat(3000), (record, lastSeen, first, more) => {
      const [earlier, later] = [first, first + more].map((minute) =>
        createStuckJudge(QUICK)(record, at(minute), lastSeen),
      )
      if (!earlier!.isStuck) return
      expect(later).toMatchObject({ isStuck: true, stalledSinceMs: earlier!.stalledSinceMs })
      expect(later!.causes).toEqual(earlier!.causes)
      expect(earlier!.stalledSinceMs).toBeLessThanOrEqual(at(first))
    }),
  )
})

test('being seen for longer never takes a verdict back', () => {
  fc.assert(
    fc.property(anyRecord, fc.nat(2000), fc.nat(2000), fc.nat(4000), (record, lastSeen, more, minute) => {
      const earlier = createStuckJudge(QUICK)(record, at(minute), { metricsMs: at(lastSeen) })
      const later = createStuckJudge(QUICK)(record, at(minute), { metricsMs: at(lastSeen + more) })
      if (earlier.isStuck) expect(later.isStuck).toBe(true)
    }),
  )
})
