import { describe, expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { workloadUpdateOf } from '../../../src/fleet/derive/workloads.ts'
import type { MigrationFacts } from '../../../src/model/object-facts.ts'
import type { ClusterObservations, ObjectObservation } from '../../../src/model/observation.ts'
import type { WorkloadUpdate } from '../../../src/model/upgrade.ts'
import { at, look, observed, operand, run } from './observed.ts'

const MINUTE = 60

function updateOf(observations: ClusterObservations, from = 0, until?: number): WorkloadUpdate | undefined {
  return workloadUpdateOf(clusterHistory(observations), {
    fromMs: at(from),
    ...(until === undefined ? {} : { untilMs: at(until) }),
  })
}

const outdated = (minutes: number, outdatedWorkloads: number): ObjectObservation =>
  look(minutes * MINUTE, operand('kubevirts', { outdatedWorkloads }))

/** A migration made at some second, its phases reached so many seconds after that. */
function migration(
  name: string,
  made: number,
  phase: string,
  reached: Readonly<Record<string, number>> = {},
  cause: MigrationFacts['cause'] = 'workload_update',
): ObjectObservation {
  const phaseTimesMs = Object.fromEntries(Object.entries(reached).map(([name, after]) => [name, at(made + after)]))
  const facts: MigrationFacts = {
    kind: 'virtualmachineinstancemigrations',
    vmi: 'vm',
    phase,
    cause,
    phaseTimesMs,
    createdMs: at(made),
    conditions: [],
  }
  return look(made + 5000, facts, { name })
}

describe('machines that are behind', () => {
  test('their jump, their pace and when none will be left', () => {
    const objects = [outdated(-5, 0), outdated(1, 40), outdated(11, 30), outdated(21, 20), outdated(31, 10)]
    expect(updateOf(observed(objects))).toMatchObject({
      outdatedAtStart: 40,
      outdatedNow: 10,
      startedMs: at(MINUTE),
      perMinute: 1,
      etaMs: at(41 * MINUTE),
    })
  })

  test('when none was left', () => {
    const update = updateOf(observed([outdated(1, 4), outdated(9, 0)]))
    expect([update?.endedMs, update?.perMinute, update?.etaMs]).toEqual([at(9 * MINUTE), undefined, undefined])
  })

  test('a level that stands has no end in sight', () => {
    const objects = [outdated(1, 4), look(50 * MINUTE, operand('cdis'))]
    expect(updateOf(observed(objects))).toMatchObject({ outdatedNow: 4, perMinute: 0 })
    expect(updateOf(observed(objects))?.etaMs).toBeUndefined()
  })

  test('too little was seen to tell a pace', () => {
    expect(updateOf(observed([outdated(1, 9), outdated(4, 5)]))?.perMinute).toBeUndefined()
  })

  test('what was before the window, or comes after it, is of another upgrade', () => {
    const objects = [outdated(-50, 90), outdated(-5, 0), outdated(1, 3), outdated(60, 80)]
    expect(updateOf(observed(objects), 0, 30 * MINUTE)).toMatchObject({ outdatedAtStart: 3, outdatedNow: 3 })
  })

  test('from the gauge, where no object tells', () => {
    const runs = [
      run('outdated_vmis', {}, 0, [0, 30], { after: 60 }),
      run('outdated_vmis', {}, 8, [60, 630], { before: 30, after: 660 }),
      run('outdated_vmis', {}, 4, [660, 660], { before: 630 }),
      run('migrations_pending', {}, 3, [60, 660]),
    ]
    const update = updateOf(observed([], runs))
    expect(update).toMatchObject({ outdatedAtStart: 8, outdatedNow: 4, startedMs: at(60), perMinute: 0.4 })
    expect(update?.migrations).toEqual({ pending: 3 })
  })

  test('nothing told, nothing said', () => {
    expect(updateOf(observed())).toBeUndefined()
  })
})

describe('migrations', () => {
  test('by cause and by what became of them', () => {
    const objects = [
      migration('a', 10, 'Succeeded', { Pending: 1, Scheduling: 2, Scheduled: 9, Running: 20, Succeeded: 60 }),
      migration('b', 20, 'Running', { Running: 20 }),
      migration('c', 30, 'Pending', {}, 'evacuation'),
      migration('d', 40, 'Failed', { Scheduling: 2, Scheduled: 9, Failed: 309 }, 'other'),
      migration('e', -40, 'Succeeded'),
    ]
    expect(updateOf(observed(objects))?.migrations).toEqual({
      workloadUpdate: 2,
      evacuation: 1,
      other: 1,
      succeeded: 1,
      failed: 1,
      pending: 1,
      running: 1,
      pendingTimeouts: 0,
    })
  })

  test('one that was deleted runs no more', () => {
    const objects = [
      migration('a', 10, 'Running'),
      { ...migration('a', 10, 'Running'), change: 'deleted' as const, resourceVersion: '2000000' },
    ]
    expect(updateOf(observed(objects))?.migrations).toMatchObject({ workloadUpdate: 1, running: 0 })
  })

  test.each([
    ['5 minutes', { Pending: 1, Scheduling: 4, Failed: 306 }, 1],
    ['5 minutes since its pod was made, a moment before Scheduling', { Pending: 1, Scheduling: 4, Failed: 302 }, 1],
    ['15 minutes', { Scheduling: 4, Failed: 908 }, 1],
    ['a minute more than a limit is another fault', { Scheduling: 4, Failed: 400 }, 0],
    ['it fails at once', { Scheduling: 4, Failed: 6 }, 0],
    ['the pod ran', { Scheduling: 4, Scheduled: 100, Failed: 306 }, 0],
  ])('a target that waits for a node: %s', (_name, reached, pendingTimeouts) => {
    expect(updateOf(observed([migration('a', 10, 'Failed', reached)]))?.migrations).toMatchObject({ pendingTimeouts })
  })
})
