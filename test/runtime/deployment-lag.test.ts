import { expect, test } from 'vitest'
import type { DeploymentView, ProcessRecord } from '../../src/model/lease.ts'
import { faultTexts } from '../../src/model/server-fault.ts'
import { faultsOf, lagOf } from '../../src/runtime/deployment-lag.ts'

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
    report: { forward: { lagSamples, lagSeconds, refused: {} }, leases: {}, faults: [] },
    ...more,
  }
}

const view = (...processes: ProcessRecord[]): DeploymentView => ({ processes, unheardMs: 2000 })
const OWN = { lagSamples: 0, lagSeconds: 0 }

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
  const lag = lagOf(OWN, view(record('self'), other), AT_MS)
  expect(lag).toEqual({ atMs: AT_MS, behind: behind.map((one) => ({ name: 'b', isOwn: false, ...one })) })
})

test('the lag of this process is what its forwarder says, not what it reported', () => {
  const { behind } = lagOf({ lagSamples: 2, lagSeconds: 1 }, view(record('self', {}, 9, 9)), AT_MS)
  expect(behind).toEqual([{ name: 'self', isOwn: true, samples: 2, seconds: 1 }])
  expect(lagOf({ lagSamples: 2, lagSeconds: 1 }, undefined, AT_MS)).toEqual({
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
