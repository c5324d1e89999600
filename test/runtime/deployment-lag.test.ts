import { describe, expect, test } from 'vitest'
import { without } from '../../src/base/without.ts'
import type { DeploymentView, ProcessRecord } from '../../src/model/lease.ts'
import { faultTexts } from '../../src/model/server-fault.ts'
import type { ForwardReport } from '../../src/model/process-report.ts'
import type { Lag } from '../../src/remote/lag.ts'
import { faultsOf, lagOf, type OwnForward } from '../../src/runtime/deployment-lag.ts'

const AT_MS = 1_000_000

function record(name: string, more: Partial<ProcessRecord> = {}, lagSamples = 0, lagSeconds = 0): ProcessRecord {
  return {
    ...{
      name,
      version: '1',
      roles: ['collect'],
      startedMs: 1,
      state: 'running',
      isSelf: name === 'self',
      silentMs: 1000,
    },
    report: { forward: { isComplete: true, lagSamples, lagSeconds, refused: {} }, leases: {}, faults: [] },
    ...more,
  }
}

const view = (...processes: ProcessRecord[]): DeploymentView => ({ processes, unheardMs: 2000 })
const OWN = { isFailing: false, isComplete: true, lagSamples: 0, lagSeconds: 0 }

test.each<[string, ProcessRecord, object[]]>([
  ['runs and is up to date', record('b'), []],
  ['runs and is behind', record('b', {}, 5, 40), [{ samples: 5, seconds: 43 }]],
  ['is this one', record('self', {}, 5, 40), []],
  ['receives nothing', record('b', { roles: ['serve'], state: 'silent' }), []],
  ['ended with everything sent', record('b', { state: 'ended' }), []],
  [
    'ended with samples',
    record('b', { state: 'ended', silentMs: 60_000 }, 5, 3),
    [{ samples: 5, seconds: 65, stoppedSeconds: 62 }],
  ],
  [
    'was killed with samples',
    record('b', { state: 'silent', silentMs: 60_000 }, 5, 3),
    [{ samples: 5, seconds: 65, stoppedSeconds: 62 }],
  ],
  // What it received after its last heartbeat nobody knows.
  [
    'was killed with everything sent',
    record('b', { state: 'silent', silentMs: 60_000 }),
    [{ samples: 0, seconds: 64, stoppedSeconds: 62 }],
  ],
  [
    'was killed, and reported nothing',
    record('b', { state: 'silent', silentMs: 60_000, report: undefined }),
    [{ samples: 0, seconds: 64, stoppedSeconds: 62 }],
  ],
])('the lag of a process that %s', (_, other, behind) => {
  const lag = without(lagOf(OWN, view(record('self'), other), AT_MS), 'gap')
  expect(lag).toEqual({ atMs: AT_MS, behind: behind.map((one) => ({ name: 'b', isOwn: false, ...one })) })
})

test('the lag of this process is what its forwarder says, not what it reported', () => {
  const { behind } = lagOf({ ...OWN, lagSamples: 2, lagSeconds: 1 }, view(record('self', {}, 9, 9)), AT_MS)
  expect(behind).toEqual([{ name: 'self', isOwn: true, samples: 2, seconds: 1 }])
  expect(lagOf({ ...OWN, lagSamples: 2, lagSeconds: 1 }, undefined, AT_MS)).toEqual({
    atMs: AT_MS,
    behind: [{ name: '', isOwn: true, samples: 2, seconds: 1 }],
  })
})

test('lags of others are unknown after ten seconds without a heartbeat', () => {
  const processes = [record('self'), record('b')]
  expect(lagOf(OWN, { processes, unheardMs: 9999 }, AT_MS).unknownSeconds).toBeUndefined()
  expect(lagOf(OWN, { processes, unheardMs: 10_000 }, AT_MS).unknownSeconds).toBe(10)
  expect(lagOf(OWN, { processes: [record('self')], unheardMs: 10_000 }, AT_MS).unknownSeconds).toBeUndefined()
})

test('readiness names what is missing', () => {
  const silent = record('b', { state: 'silent', silentMs: 60_000 }, 5, 3)
  const faults = faultsOf({ ...view(record('self'), silent, record('c')), fault: 'refused' }, false)
  expect(faultTexts({ storage: undefined, ...faults })).toEqual([
    'Facts are not written, and no rule is evaluated: refused',
    'Process b has sent no heartbeat for 1m2s, 5 samples were not forwarded',
    'Queries and rules do not read the samples of b, c: several processes need store.metrics',
  ])
  expect(faultsOf(view(record('self'), record('c')), true)).toEqual({})
  expect(faultsOf(undefined, false)).toEqual({})
})

describe('what the metrics store lacks', () => {
  const forward = { isComplete: true, lagSamples: 0, lagSeconds: 0, refused: {} }
  const other = (more: Partial<ForwardReport>, state: ProcessRecord['state'] = 'running'): ProcessRecord => {
    return record('b', { state, report: { forward: { ...forward, ...more }, leases: {}, faults: [] } })
  }
  const gapOf = (own: Partial<OwnForward>, ...others: ProcessRecord[]): Lag['gap'] =>
    lagOf({ ...OWN, ...own }, view(record('self'), ...others), AT_MS).gap

  test.each<[string, Lag['gap'], Partial<OwnForward>, ProcessRecord]>([
    ['nothing', undefined, {}, other({})],
    ['nothing that takes five seconds', undefined, { lagSeconds: 4.9 }, other({ lagSeconds: 4.9 })],
    ['all: it is away', 'away', { isFailing: true, isComplete: false }, other({})],
    ['what this process sends again', 'behind', { isComplete: false }, other({})],
    ['what this process missed', 'behind', { lagSeconds: 5 }, other({})],
    ['what another one sends again', 'behind', {}, other({ isComplete: false })],
    ['what another one missed', 'behind', {}, other({ lagSeconds: 5 })],
    ['nothing of one that has ended', undefined, {}, other({ isComplete: false, lagSeconds: 50 }, 'silent')],
    ['what another one does not know to be lost', 'behind', { storeStart: 20 }, other({ storeStart: 10 })],
    ['what this one does not know to be lost', 'behind', { storeStart: 10 }, other({ storeStart: 20 })],
    ['nothing: both know the same start', undefined, { storeStart: 10 }, other({ storeStart: 10 })],
    ['nothing: the other one is of an older release', undefined, { storeStart: 10 }, other({})],
    ['nothing: this one has seen no start yet', undefined, {}, other({ storeStart: 10 })],
  ])('%s', (_, gap, own, process) => {
    expect(gapOf(own, process)).toBe(gap)
  })

  test('of a process alone', () => {
    expect(lagOf({ ...OWN, isComplete: false }, undefined, AT_MS).gap).toBe('behind')
    expect(lagOf(OWN, undefined, AT_MS).gap).toBeUndefined()
  })
})
