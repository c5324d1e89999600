import { describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { createFleetIndex } from '../../src/fleet/clusters/fleet-index.ts'
import {
  EXPECTED_ALERTS,
  expectedAlertsOf,
  expectedMarkOf,
  mayBeExpected,
} from '../../src/fleet/alerts/expected-alerts.ts'
import { healthyUpgrades } from '../../src/fleet/alerts/healthy-upgrades.ts'
import { PHASES } from '../../src/model/upgrade.ts'
import { createUpgradeMarks, type UpgradeMarks } from '../../src/notify/upgrade-marks.ts'
import { MINUTE_MS, phase, recordOf, T0, type RecordScript } from '../fleet/edge-script.ts'
import { alertOf } from './timeline.ts'
import { emptyRecord } from '../support/cluster-record.ts'

/** Minutes count from `T0`; the present is minute 10, and metrics came until then. */
const NOW_MS = T0 + 10 * MINUTE_MS
const firing = (text: string) => alertOf(text, 'firing', NOW_MS - MINUTE_MS)

function upgradesOf(script: RecordScript, heardMinute = 10) {
  const index = createFleetIndex()
  const metricsLastMs = T0 + heardMinute * MINUTE_MS
  index.put({
    cluster: emptyRecord('east', {
      coverage: { objects: false, metrics: true, spans: false, metricsLastMs, kinds: [] },
    }),
    intervals: [],
    upgrades: [recordOf({ cluster: 'east', id: 'e1', startMinute: 0, seenMinute: heardMinute, ...script })],
    modifications: [],
  })
  return healthyUpgrades(index.open(NOW_MS))
}

const ROLLOUT: RecordScript = {
  phases: [
    phase('olm', 0, 4),
    phase('operands', 4),
    phase('operands.kubevirt', 4),
    phase('virt_handler.canary', 5, 7),
    phase('virt_handler.waves', 7),
  ],
  progressMinute: 9,
  detail: { virtHandler: { desired: 9, updated: 3, ready: 9, waves: 10 } },
}
const INSTALL: RecordScript = { phases: [phase('olm', 8), phase('olm.installing', 9)] }
const SETTLE: RecordScript = { phases: [phase('olm', 0, 4), phase('operands', 4, 9), phase('settle', 9)] }
const MACHINES: RecordScript = {
  endMinute: 8,
  phases: [phase('olm', 0, 4), phase('operands', 4, 7), phase('workloads', 8)],
  progressMinute: 9,
  detail: { workloads: { outdatedAtStart: 41, outdatedNow: 12, migrations: {} } },
}

const markOf = (text: string, script: RecordScript, heardMinute?: number) => {
  const alert = firing(text)
  return expectedMarkOf(alert, alert.labels.get('alertname'), upgradesOf(script, heardMinute))
}

test('an alert of the cluster that is being upgraded is marked, in the phase that raises it', () => {
  expect(markOf('VirtHandlerDaemonSetRolloutFailing cluster=east', ROLLOUT)).toEqual({
    upgrade: 'e1',
    title: 'east from 1.16.0 to 1.17.0',
    phase: 'virt_handler.waves',
    reason: expect.stringMatching(/^virt-handler rolls out .* \(3 of 9 nodes are updated\)$/) as string,
  })
})

describe('each alert in its phases only', () => {
  const cases = [
    ['HCOOperatorConditionsUnhealthy', 'rollout settle operands'],
    ['LowReadyVirtOperatorsCount', 'install'],
    ['LowReadyVirtAPICount', 'install rollout operands'],
    ['LowReadyVirtControllersCount', 'install rollout operands'],
    ['LowReadyVirtHandlerCount', 'install rollout operands'],
    ['VirtHandlerDaemonSetRolloutFailing', 'rollout operands'],
    ['KubeVirtVMIExcessiveMigrations', 'machines'],
    ['OutdatedVirtualMachineInstanceWorkloads', 'machines'],
    ['KubeVirtCRModified', ''],
    ['NoReadyVirtController', ''],
  ] as const
  const scripts: Readonly<Record<string, RecordScript>> = {
    install: INSTALL,
    rollout: ROLLOUT,
    settle: SETTLE,
    machines: MACHINES,
    // The CSV has succeeded, and nothing tells what the operands do: metrics without nodes.
    operands: { phases: [phase('olm', 0, 9)] },
    requirements: { phases: [phase('olm', 8), phase('olm.pending', 8)] },
    over: { endMinute: 9, phases: [phase('olm', 0, 4)] },
    // Nobody approved it yet.
    offer: { phases: [phase('offered', 0, 1), phase('approval', 1)], startMinute: NaN },
  }
  test.each(cases)('%s', (alertname, want) => {
    const marked = Object.keys(scripts).filter((name) => {
      return markOf(`${alertname} cluster=east`, scripts[name]!) !== undefined
    })
    expect(marked.sort()).toEqual(want.split(' ').filter(Boolean).sort())
  })
  test('all of the table', () => {
    expect(
      EXPECTED_ALERTS.map(({ alertname }) => alertname).filter((name) => !cases.some(([one]) => one === name)),
    ).toEqual([])
  })
})

test.each([
  ['another cluster', 'VirtHandlerDaemonSetRolloutFailing cluster=west', ROLLOUT, 10],
  ['no cluster', 'VirtHandlerDaemonSetRolloutFailing', ROLLOUT, 10],
  [
    'an upgrade that is stuck',
    'LowReadyVirtAPICount cluster=east',
    {
      ...ROLLOUT,
      startMinute: -60,
      progressMinute: -30,
      phases: [phase('olm', -60, -50), phase('virt_handler.waves', -50)],
    },
    10,
  ],
  ['a cluster that is silent', 'LowReadyVirtAPICount cluster=east', { ...ROLLOUT, progressMinute: 7 }, 7],
])('not for %s', (_, text, script, heardMinute) => {
  expect(markOf(text, script, heardMinute)).toBeUndefined()
})

test('old versions counted their own changes; of one that nobody knows that cannot be said', () => {
  const alert = firing('KubeVirtCRModified cluster=east')
  const unknown = upgradesOf(ROLLOUT).map((upgrade) => ({ ...upgrade, from: undefined }))
  expect(expectedMarkOf(alert, 'KubeVirtCRModified', unknown)).toBeUndefined()
  expect(markOf('KubeVirtCRModified cluster=east', { ...ROLLOUT, from: '1.4.2', to: '1.5.0' })).toBeDefined()
})

test('the table names each alert once, with phases of the record and a reason', () => {
  expect(new Set(EXPECTED_ALERTS.map(({ alertname }) => alertname)).size).toBe(EXPECTED_ALERTS.length)
  for (const { phases, reason } of EXPECTED_ALERTS) {
    expect(phases.length > 0 && reason.length > 20).toBe(true)
    for (const name of phases) {
      expect(
        PHASES.some((known) => name === known || name.startsWith(`${known}.`) || known.startsWith(`${name}.`)),
        name,
      ).toBe(true)
    }
  }
  expect(mayBeExpected('LowReadyVirtAPICount')).toBe(true)
  expect(mayBeExpected('VirtAPIDown')).toBe(false)
})

describe('marks', () => {
  const marksOver = (healthy: Parameters<typeof expectedAlertsOf>[0]): UpgradeMarks =>
    createUpgradeMarks({
      expectedAlerts: expectedAlertsOf(healthy),
      canonicalName: (name) => (name === 'OldLowReady' ? 'LowReadyVirtHandlerCount' : name),
      log: silentLog,
    })
  const alert = firing('LowReadyVirtHandlerCount cluster=east')

  test('are found under an old name too', async () => {
    const marks = marksOver(() => Promise.resolve(upgradesOf(ROLLOUT)))
    await marks.refresh([alert], NOW_MS)
    expect(marks.expectedFor(alert, NOW_MS)).toMatchObject({ upgrade: 'e1', phase: 'virt_handler.waves' })
    expect(marks.expectedFor(firing('OldLowReady cluster=east'), NOW_MS)).toBeDefined()
    expect(marks.expectedFor(firing('LowReadyVirtHandlerCount cluster=west'), NOW_MS)).toBeUndefined()
  })

  test('nothing is read while no such alert fires, and not at every beat', async () => {
    let reads = 0
    const marks = marksOver(() => {
      reads++
      return Promise.resolve(upgradesOf(ROLLOUT))
    })
    const others = [firing('VirtAPIDown cluster=east'), alertOf('LowReadyVirtHandlerCount', 'pending', NOW_MS)]
    await marks.refresh(others, NOW_MS)
    expect(reads).toBe(0)
    await marks.refresh([alert], NOW_MS)
    await marks.refresh([alert], NOW_MS + 9_000)
    expect(reads).toBe(1)
    await marks.refresh([alert], NOW_MS + 10_000)
    expect(reads).toBe(2)
    await marks.refresh(others, NOW_MS + 11_000)
    expect(marks.expectedFor(alert, NOW_MS)).toBeUndefined()
  })

  test('when nobody answers, nothing is expected', async () => {
    let isBroken = false
    const marks = marksOver(() =>
      isBroken ? Promise.reject(new Error('overloaded')) : Promise.resolve(upgradesOf(ROLLOUT)),
    )
    await marks.refresh([alert], NOW_MS)
    expect(marks.expectedFor(alert, NOW_MS)).toBeDefined()
    isBroken = true
    await marks.refresh([alert], NOW_MS + 60_000)
    expect(marks.expectedFor(alert, NOW_MS)).toBeUndefined()
  })
})
