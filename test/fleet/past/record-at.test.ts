import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { modificationAt, recordAt } from '../../../src/fleet/past/record-at.ts'
import type { Modification } from '../../../src/model/cluster-record.ts'
import {
  PHASE_STATES,
  PHASES,
  UPGRADE_STATES,
  type PhaseName,
  type PhaseState,
  type Upgrade,
  type UpgradePhase,
  type UpgradeRecord,
} from '../../../src/model/upgrade.ts'
import { without } from '../../../src/base/without.ts'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import { at, look, observed, overwritten } from '../derive/observed.ts'
import { T0_MS, UPGRADE } from '../../support/upgrade-record.ts'

const SEEN = 60
const minute = fc.integer({ min: 1, max: SEEN })
const maybe = <K extends string>(name: K) => fc.option(minute, { nil: undefined }).map((ms) => known(name, ms))

function known<K extends string>(name: K, ms: number | undefined): Partial<Record<K, number>> {
  return ms === undefined ? {} : ({ [name]: ms } as Record<K, number>)
}

const times = fc.tuple(maybe('startedMs'), maybe('endedMs')).map(([start, end]) => {
  const { startedMs = 0 } = start
  const { endedMs } = end
  return { ...start, ...(endedMs === undefined ? {} : { endedMs: Math.max(startedMs, endedMs) }) }
})
const stage = fc.tuple(times, fc.constantFrom(...PHASE_STATES)).map(([when, state]) => ({ ...when, state }))
const evidence = fc.array(
  fc.tuple(minute, fc.boolean()).map(([atMs, isReplaced]) => ({
    ...{ source: 'objects' as const, atMs, text: 'seen', ref: 'x' },
    ...(isReplaced ? { isReplaced } : {}),
  })),
  { maxLength: 3 },
)

const records: fc.Arbitrary<UpgradeRecord> = fc
  .record({
    when: times,
    state: fc.constantFrom(...UPGRADE_STATES),
    phases: fc.array(fc.tuple(fc.constantFrom(...PHASES), stage), { maxLength: 5 }),
    evidence,
    block: fc.option(fc.tuple(maybe('sinceMs'), evidence), { nil: undefined }),
    steps: fc.array(fc.tuple(minute, maybe('endedMs')), { maxLength: 3 }),
    component: stage,
    hco: times,
    handler: times,
    machines: times,
    progress: maybe('lastProgressMs'),
    changes: fc.array(minute, { maxLength: 3 }),
  })
  .map((drawn) => ({
    upgrade: {
      ...{ id: 'u', cluster: 'c', operator: 'kubevirt-hyperconverged' as const, to: '1.17.0', resolutionSeconds: 1 },
      state: drawn.state,
      ...drawn.when,
      phases: drawn.phases.map(([name, of]) => ({ name, ...of, resolutionSeconds: 1, isReconstructed: false })),
      evidence: drawn.evidence,
      ...(drawn.block === undefined
        ? {}
        : {
            blockedBy: { cause: 'unknown' as const, text: 'x', ...drawn.block[0], evidence: drawn.block[1] },
          }),
    },
    detail: {
      csvSteps: drawn.steps.map(([startedMs, end]) => ({ phase: 'Pending', reason: '', startedMs, ...end })),
      components: [{ name: 'cdi', from: 'v1', to: 'v2', ...drawn.component, message: 'waits' }],
      ...(Object.keys(drawn.hco).length === 0 ? {} : { hco: drawn.hco }),
      virtHandler: { desired: 9, updated: 3, ready: 9, waves: 10, ...drawn.handler },
      workloads: { outdatedAtStart: 5, outdatedNow: 2, perMinute: 1, migrations: { running: 1 }, ...drawn.machines },
      ...drawn.progress,
      observedUntilMs: SEEN,
      conditionChanges: drawn.changes.map((atMs) => ({
        ...{ atMs, component: 'hco', type: 'Degraded', status: 'True', reason: '' },
      })),
      featureGateChanges: drawn.changes.map((atMs) => ({ atMs, gate: 'x', isOn: true })),
    },
  }))

/** Every time that stands anywhere in it. */
function timesIn(value: unknown): readonly number[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    typeof one === 'number' && name.endsWith('Ms') ? [one] : timesIn(one),
  )
}

describe('an upgrade at a moment', () => {
  test('when nothing was seen later is as it is now', () => {
    fc.assert(
      fc.property(records, fc.integer({ min: SEEN, max: SEEN + 10 }), (record, atMs) => {
        expect(recordAt(record, atMs)).toEqual(record)
      }),
    )
  })

  test('tells nothing later', () => {
    fc.assert(
      fc.property(records, minute, (record, atMs) => {
        const cut = recordAt(record, atMs)
        expect(Math.max(...timesIn(cut), 0)).toBeLessThanOrEqual(atMs)
      }),
    )
  })

  test('cut twice is cut at the earlier one', () => {
    fc.assert(
      fc.property(records, minute, minute, (record, a, b) => {
        const [earlier, later] = [Math.min(a, b), Math.max(a, b)]
        const between = recordAt(record, later)
        expect(between === undefined ? undefined : recordAt(between, earlier)).toEqual(recordAt(record, earlier))
      }),
    )
  })

  const at = (seconds: number): UpgradeRecord => recordAt(UPGRADE, T0_MS + seconds * 1000)!

  test.each([
    [9, 'approval pending, olm pending, operands pending, operands.ssp pending, workloads pending; ssp pending'],
    [10, 'approval skipped, olm in_progress, operands pending, operands.ssp pending, workloads pending; ssp pending'],
    [29, 'approval skipped, olm succeeded, operands in_progress, operands.ssp pending, workloads pending; ssp pending'],
    [30, 'approval skipped, olm succeeded, operands succeeded, operands.ssp skipped, workloads pending; ssp skipped'],
    [49, 'approval skipped, olm succeeded, operands succeeded, operands.ssp skipped, workloads pending; ssp skipped'],
    [50, 'approval skipped, olm succeeded, operands succeeded, operands.ssp skipped, workloads skipped; ssp skipped'],
  ])('has skipped at %i what it had left behind', (atMs, states) => {
    const untimed = { resolutionSeconds: 1, isReconstructed: false }
    const phase = (name: PhaseName, state: PhaseState, startedMs?: number, endedMs?: number): UpgradePhase => {
      return { name, state, ...untimed, ...known('startedMs', startedMs), ...known('endedMs', endedMs) }
    }
    const record: UpgradeRecord = {
      upgrade: {
        ...{ ...UPGRADE.upgrade, startedMs: 5, endedMs: 50, state: 'succeeded', evidence: [] },
        phases: [
          phase('approval', 'skipped'),
          phase('olm', 'succeeded', 10, 20),
          phase('operands', 'succeeded', 20, 30),
          phase('operands.ssp', 'skipped'),
          phase('workloads', 'skipped'),
        ],
      },
      detail: {
        ...{ csvSteps: [], conditionChanges: [], featureGateChanges: [], observedUntilMs: 60 },
        components: [{ name: 'ssp', state: 'skipped', from: 'v1', to: 'v1' }],
      },
    }
    const { upgrade, detail } = recordAt(record, atMs)!
    const [phases, components] = [upgrade.phases, detail.components].map((all) =>
      all.map(({ name, state }) => `${name} ${state}`).join(', '),
    )
    expect(`${phases}; ${components}`).toBe(states)
    // Without an end of the operands none of them was skipped.
    const unended = record.upgrade.phases.map(({ endedMs = 0, ...rest }) => ({
      ...rest,
      ...(rest.name === 'operands' ? {} : { endedMs }),
    }))
    const open: Upgrade = { ...without(record.upgrade, 'endedMs'), phases: unended, state: 'in_progress' }
    const { phases: then } = recordAt({ ...record, upgrade: open }, atMs)!.upgrade
    expect(then.find(({ name }) => name === 'operands.ssp')?.state).toBe('pending')
  })

  test('is absent before it began', () => {
    expect(recordAt(UPGRADE, T0_MS - 1)).toBeUndefined()
    expect(recordAt(UPGRADE, T0_MS)).toBeDefined()
  })

  test('stands in the phase it stood in, and the later ones are to come', () => {
    const { upgrade, detail } = at(60)
    expect([upgrade.state, upgrade.endedMs]).toEqual(['in_progress', undefined])
    expect(upgrade.phases.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'olm in_progress',
      'olm.pending succeeded',
      'olm.install_ready succeeded',
      'olm.installing in_progress',
      'operands pending',
      'workloads pending',
    ])
    expect(detail.csvSteps.at(-1)).toEqual({
      phase: 'Installing',
      reason: 'InstallSucceeded',
      startedMs: T0_MS + 21_000,
    })
    expect(detail.components).toEqual([
      { name: 'kubevirt', from: 'v1.6.0', to: 'v1.6.0', state: 'pending' },
      { name: 'cdi', state: 'pending' },
    ])
    expect([detail.hco, detail.workloads, detail.conditionChanges]).toEqual([undefined, undefined, []])
  })

  test('says of its machines how many there were at the start, and no number of a later moment', () => {
    const { upgrade, detail } = at(900)
    expect(upgrade.state).toBe('succeeded')
    expect(detail.workloads).toEqual({ outdatedAtStart: 41, startedMs: T0_MS + 840_000, migrations: {} })
    expect(at(1500).detail.workloads).toEqual(UPGRADE.detail.workloads)
  })

  test('whose end nobody saw is unknown until the last that was heard', () => {
    const lost: UpgradeRecord = {
      upgrade: { ...UPGRADE.upgrade, state: 'superseded', endedMs: undefined! },
      detail: { ...UPGRADE.detail, observedUntilMs: T0_MS + 900_000 },
    }
    expect(recordAt(lost, T0_MS + 899_999)!.upgrade.state).toBe('unknown')
    expect(recordAt(lost, T0_MS + 900_000)!.upgrade.state).toBe('superseded')
  })
})

const MESSAGE = 'Overwritten KubeVirt kubevirt-kubevirt-hyperconverged'

describe('a modification at a moment', () => {
  const patch: Modification = {
    ...{ id: 'm', cluster: 'c', kind: 'jsonpatch', component: 'kubevirt', count: 1, text: '' },
    ...{ startedMs: 10, endedMs: 20, isUpgradeMode: false, resolutionSeconds: 1 },
  }

  test.each([
    [9, 'absent'],
    [10, 'stands'],
    [19, 'stands'],
    [20, 'over'],
  ])('%i: %s', (atMs, want) => {
    const then = modificationAt(patch, atMs)
    expect(then === undefined ? 'absent' : then.endedMs === undefined ? 'stands' : 'over').toBe(want)
  })

  test('a burst has the edits until then, as it was derived then', () => {
    const seconds = [0, 60, 200, 500, 1101, 1200]
    const states = seconds.map((second, i) =>
      look(second, overwritten(MESSAGE, { count: i + 1, firstMs: at(0), lastMs: at(second) }), { name: 'e' }),
    )
    const derivedOf = (count: number) => deriveCluster(observed(states.slice(0, count))).modifications
    const whole = derivedOf(states.length)
    expect(whole.map(({ count }) => count)).toEqual([4, 2])
    for (const [i, second] of seconds.entries()) {
      expect(whole.flatMap((one) => modificationAt(one, at(second)) ?? [])).toEqual(derivedOf(i + 1))
    }
    // The last edit of a burst is its end until the next one.
    expect(modificationAt(whole[0]!, at(199))).toMatchObject({ count: 2, endedMs: at(60) })
  })

  test('without the times of its edits a burst has the number of all', () => {
    const burst: Modification = { ...patch, kind: 'out_of_band', count: 19, text: 'x' }
    expect(modificationAt(burst, 19)).toMatchObject({ count: 19, text: 'x' })
  })
})
