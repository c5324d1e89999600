import { describe, expect, test } from 'vitest'
import { silentLog } from '../src/base/log.ts'
import { EXPECTED_ALERTS, expectedMarkOf, mayBeExpected } from '../src/fleet/expected-alerts.ts'
import { DEFAULT_FLEET_OPTIONS } from '../src/fleet/options.ts'
import type { FleetReader } from '../src/fleet/fleet-reader.ts'
import type { ClusterUpgrade } from '../src/fleet/upgrades.ts'
import { createUpgradeMarks } from '../src/upgrade-marks.ts'
import type { UpgradeMarks } from '../src/upgrade-marks.ts'
import { NOW_MS, csvSucceeded, fleetOf, nodes } from './fleet/fleet-script.ts'
import type { Sent } from './fleet/fleet-script.ts'
import { alertOf } from './notify/timeline.ts'

const firing = (text: string) => alertOf(text, 'firing', NOW_MS - 60_000)

const UPGRADE: ClusterUpgrade = {
  cluster: 'east',
  from: '1.16.0',
  to: '1.17.0',
  phase: 'operands',
  detail: '3 of 9 nodes on KubeVirt 1.7.0',
  startedAtMs: NOW_MS - 600_000,
  lastChangeMs: NOW_MS - 60_000,
  isStuck: false,
  cause: undefined,
  resolutionSeconds: 30,
}

describe('expectedMarkOf', () => {
  const mark = (text: string, over: Partial<ClusterUpgrade> = {}) => {
    const alert = firing(text)
    return expectedMarkOf(alert, alert.labels.get('alertname'), [{ ...UPGRADE, ...over }])
  }

  test('marks an alert of the cluster that is being upgraded, in the phase that raises it', () => {
    expect(mark('VirtHandlerDaemonSetRolloutFailing cluster=east')).toEqual({
      upgrade: 'east/1.17.0',
      phase: 'operands',
      reason: expect.stringContaining('3 of 9 nodes') as string,
    })
  })

  test.each([
    ['another cluster', 'VirtHandlerDaemonSetRolloutFailing cluster=west', {}],
    ['no cluster', 'VirtHandlerDaemonSetRolloutFailing', {}],
    ['another phase', 'VirtHandlerDaemonSetRolloutFailing cluster=east', { phase: 'olm' as const }],
    ['an upgrade that stands still', 'VirtHandlerDaemonSetRolloutFailing cluster=east', { isStuck: true }],
    ['an alert that no upgrade explains', 'NoReadyVirtController cluster=east', {}],
    ['a version in which it was mended', 'KubeVirtCRModified cluster=east', {}],
    ['a version that is not known', 'KubeVirtCRModified cluster=east', { from: undefined }],
  ])('not for %s', (_, text, over) => {
    expect(mark(text, over)).toBeUndefined()
  })

  test('old versions counted their own changes', () => {
    expect(mark('KubeVirtCRModified cluster=east', { from: '1.4.2', to: '1.5.0' })).toBeDefined()
  })

  test('the table names each alert once, with phases and a reason', () => {
    expect(new Set(EXPECTED_ALERTS.map(({ alertname }) => alertname)).size).toBe(EXPECTED_ALERTS.length)
    for (const { phases, reason } of EXPECTED_ALERTS)
      expect([phases.length > 0, reason.length > 20]).toEqual([true, true])
    expect(mayBeExpected('LowReadyVirtAPICount')).toBe(true)
    expect(mayBeExpected('VirtAPIDown')).toBe(false)
  })
})

describe('marks from what clusters send', () => {
  /** A new CSV has succeeded, and the nodes follow: the newest came `minutes` ago. */
  const rollout = (minutes: number): Sent[] => [
    csvSucceeded('east', '1.16.0', 1, [180, minutes + 5]),
    csvSucceeded('east', '1.17.0', 1, [minutes + 5]),
    ...nodes('east', '1.6.0', 4, [180, minutes]),
    ...nodes('east', '1.6.0', 3, [minutes - 1]),
    ...nodes('east', '1.7.0', 1, [minutes - 1]),
  ]
  const marksOver = (reader: FleetReader): UpgradeMarks =>
    createUpgradeMarks({
      reader,
      options: DEFAULT_FLEET_OPTIONS,
      canonicalName: (name) => (name === 'OldLowReady' ? 'LowReadyVirtHandlerCount' : name),
      log: silentLog,
    })
  const alert = firing('LowReadyVirtHandlerCount cluster=east')

  test('a roll-out that goes on explains it, under its old name too; one that stands still does not', async () => {
    const moving = marksOver(fleetOf(rollout(10)).reader)
    await moving.refresh([alert], NOW_MS)
    expect(moving.expectedFor(alert, NOW_MS)).toMatchObject({ upgrade: 'east/1.17.0', phase: 'operands' })
    expect(moving.expectedFor(firing('OldLowReady cluster=east'), NOW_MS)).toBeDefined()
    expect(moving.expectedFor(firing('LowReadyVirtHandlerCount cluster=west'), NOW_MS)).toBeUndefined()

    const stuck = marksOver(fleetOf(rollout(90)).reader)
    await stuck.refresh([alert], NOW_MS)
    expect(stuck.expectedFor(alert, NOW_MS)).toBeUndefined()
  })

  test('nothing is read while no such alert fires, and not at every beat', async () => {
    let reads = 0
    const { reader } = fleetOf(rollout(10))
    const counting: FleetReader = {
      ...reader,
      instant: (expr, timeMs) => {
        reads++
        return reader.instant(expr, timeMs)
      },
    }
    const marks = marksOver(counting)
    await marks.refresh(
      [firing('VirtAPIDown cluster=east'), alertOf('LowReadyVirtHandlerCount', 'pending', NOW_MS)],
      NOW_MS,
    )
    expect(reads).toBe(0)
    await marks.refresh([alert], NOW_MS)
    const once = reads
    expect(once).toBeGreaterThan(0)
    await marks.refresh([alert], NOW_MS + 29_000)
    expect(reads).toBe(once)
    await marks.refresh([alert], NOW_MS + 30_000)
    expect(reads).toBeGreaterThan(once)
  })

  test('when it cannot be read, nothing is expected', async () => {
    const { reader } = fleetOf(rollout(10))
    let isBroken = false
    const marks = marksOver({
      ...reader,
      instant: (expr, timeMs) => (isBroken ? Promise.reject(new Error('overloaded')) : reader.instant(expr, timeMs)),
    })
    await marks.refresh([alert], NOW_MS)
    expect(marks.expectedFor(alert, NOW_MS)).toBeDefined()
    isBroken = true
    await marks.refresh([alert], NOW_MS + 60_000)
    expect(marks.expectedFor(alert, NOW_MS)).toBeUndefined()
  })
})
