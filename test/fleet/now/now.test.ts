import { describe, expect, test } from 'vitest'
import { createFleetIndex, type FleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { fleetNow } from '../../../src/fleet/now/now.ts'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { MINUTE_MS, phase, recordOf, T0, type RecordScript } from '../edge-script.ts'

const at = (minute: number): number => T0 + minute * MINUTE_MS

/** Metrics came until this minute. */
const heardUntil = (minute: number, known: Partial<ClusterRecord> = {}): Partial<ClusterRecord> => ({
  lastSeenMs: at(minute),
  coverage: { objects: false, metrics: true, spans: false, metricsLastMs: at(minute), kinds: [] },
  ...known,
})

function put(
  index: FleetIndex,
  cluster: string,
  known: Partial<ClusterRecord>,
  ...upgrades: readonly RecordScript[]
): void {
  index.put({
    cluster: emptyRecord(cluster, known),
    intervals: [],
    upgrades: upgrades.map((script) => recordOf({ cluster, id: `${cluster}-${script.to ?? '1.17.0'}`, ...script })),
    modifications: [],
  })
}

const nowAt = (index: FleetIndex, minute: number, listMax = 200) => fleetNow(index, at(minute), listMax)
const ids = ({ items }: { readonly items: readonly { readonly id: string }[] }): string[] => items.map(({ id }) => id)

describe('clusters', () => {
  const index = createFleetIndex()
  put(index, 'a', heardUntil(60, { hcoVersion: '1.17.0', versions: { kubevirt: '1.7.0' } }))
  put(index, 'b', heardUntil(60, { versions: { kubevirt: '1.6.0' } }))
  put(index, 'mute', heardUntil(60))
  put(index, 'gone', heardUntil(45, { hcoVersion: '1.16.0' }))
  put(index, 'resting', {
    hcoVersion: '1.16.0',
    coverage: { objects: true, metrics: false, spans: true, objectsLastMs: at(20), kinds: [] },
  })
  index.markSeen('stranger', { metricsMs: at(59) })
  const now = nowAt(index, 60)

  test('are counted by what is seen them, and by which way', () => {
    expect(now.clusters).toEqual({
      clusters: 6,
      reporting: 5,
      silent: 1,
      gone: 0,
      unknown: 2,
      withMetrics: 5,
      withObjects: 1,
      withSpans: 1,
      newestMs: at(60),
      oldestMs: at(20),
    })
  })

  test('versions are of those that report, newest first, with how many say none', () => {
    expect(now.versions).toEqual({
      of: 5,
      unreported: 2,
      items: [
        { version: '1.17.0', clusters: 1 },
        { version: '1.16.0', clusters: 1 },
        { version: '1.6.0', clusters: 1 },
      ],
    })
  })

  test('one is silent a moment after ten minutes without its metrics, not at ten', () => {
    const untilMs = at(60) + 10 * MINUTE_MS
    const names = (nowMs: number) => fleetNow(index, nowMs, 200).silent.items.map(({ cluster }) => cluster)
    expect(names(untilMs)).not.toContain('a')
    expect(names(untilMs + 1)).toContain('a')
  })

  test('one that is silent says what it was last', () => {
    expect(now.silent).toEqual({
      count: 1,
      items: [{ cluster: 'gone', cause: 'unknown', lastSeenMs: at(45), version: '1.16.0', upgrade: undefined }],
      byCause: [{ cause: 'unknown', count: 1 }],
      oneSource: [],
    })
  })
})

describe('open upgrades', () => {
  /** Minutes of a phase that ten upgrades of the edge took. */
  const learned = (index: FleetIndex, minutes: number): void => {
    for (let i = 0; i < 10; i++) {
      const phases = [phase('olm', -2000, -2000 + minutes), phase('operands.kubevirt', -2000, -2000 + minutes)]
      put(index, `done-${i}`, heardUntil(60), { startMinute: -2000, endMinute: -1900, phases })
    }
  }

  test('are waiting, upgrading or following, each in one list', () => {
    const index = createFleetIndex()
    put(index, 'asks', heardUntil(60), {
      channel: 'stable',
      phases: [phase('offered', 0, 1), phase('approval', 1)],
      detail: { namespace: 'openshift-cnv', installPlan: 'install-abcde' },
    })
    put(index, 'works', heardUntil(60), {
      startMinute: 55,
      progressMinute: 58,
      phases: [phase('olm', 55, 57), phase('operands', 57), phase('virt_handler.waves', 58)],
      detail: { virtHandler: { desired: 9, updated: 3, ready: 9, waves: 10 } },
    })
    put(index, 'moves', heardUntil(60), {
      startMinute: 0,
      endMinute: 30,
      seenMinute: 60,
      progressMinute: 59,
      phases: [phase('olm', 0, 10), phase('workloads', 30)],
      detail: {
        workloads: { outdatedAtStart: 41, outdatedNow: 12, etaMs: at(90), migrations: {} },
      },
    })
    put(index, 'over', heardUntil(60), { startMinute: 0, endMinute: 30, phases: [phase('olm', 0, 10)] })
    const now = nowAt(index, 60)
    expect(now.waiting).toEqual({
      count: 1,
      items: [
        {
          id: 'asks-1.17.0',
          cluster: 'asks',
          operator: 'kubevirt-hyperconverged',
          from: '1.16.0',
          to: '1.17.0',
          sinceMs: at(1),
          channel: 'stable',
          namespace: 'openshift-cnv',
          installPlan: 'install-abcde',
          isStuck: false,
        },
      ],
    })
    expect(now.upgrading).toMatchObject({
      count: 1,
      items: [
        {
          id: 'works-1.17.0',
          phase: 'virt_handler.waves',
          phaseSinceMs: at(58),
          startedMs: at(55),
          nodes: { updated: 3, desired: 9 },
          phaseEndsMs: undefined,
          isStuck: false,
        },
      ],
      byPhase: [{ phase: 'virt_handler.waves', count: 1, stuck: 0 }],
    })
    expect(now.following).toMatchObject({
      count: 1,
      machines: 12,
      items: [{ id: 'moves-1.17.0', phase: 'workloads', machines: { outdated: 12, atStart: 41, etaMs: at(90) } }],
    })
    expect(now.stuck.count).toBe(0)
  })

  test('stuck ones are furthest beyond their threshold first, with baseline and cause, and stay where they are', () => {
    const index = createFleetIndex()
    learned(index, 2)
    put(index, 'long', heardUntil(60), {
      startMinute: 20,
      phases: [phase('olm', 20, 22), phase('operands.kubevirt', 22)],
    })
    put(index, 'longest', heardUntil(60), {
      startMinute: 30,
      phases: [phase('olm', 30)],
      blockedBy: { cause: 'requirements_not_met', text: 'A CRD is missing.', evidence: [] },
    })
    put(index, 'fine', heardUntil(60), { startMinute: 59, phases: [phase('olm', 59)] })
    const now = nowAt(index, 60)
    expect(ids(now.stuck)).toEqual(['long-1.17.0', 'longest-1.17.0'])
    // Both were learned to take two minutes, and are given the least that anything is given.
    expect(now.stuck.items.map(({ beyondSeconds }) => beyondSeconds)).toEqual([34 * 60, 26 * 60])
    expect(now.stuck.items[1]).toMatchObject({
      cause: { cause: 'requirements_not_met', text: 'A CRD is missing.' },
      baseline: { learnedFrom: 'edge', runs: 10, p50Seconds: 120 },
      phaseEndsMs: undefined,
    })
    expect(ids(now.upgrading)).toEqual(['long-1.17.0', 'longest-1.17.0', 'fine-1.17.0'])
    expect(now.upgrading.byPhase).toEqual([
      { phase: 'olm', count: 2, stuck: 1 },
      { phase: 'operands.kubevirt', count: 1, stuck: 1 },
    ])
  })

  test('a phase is expected to end when those before were through: half of them, then nine in ten, then nobody knows', () => {
    const index = createFleetIndex()
    for (let i = 0; i < 10; i++) {
      const phases = [phase('operands.kubevirt', -2000, -2000 + 10 + i)]
      put(index, `done-${i}`, heardUntil(60), { startMinute: -2000, endMinute: -1900, phases })
    }
    const expectedAfter = (minutes: number): number | undefined => {
      put(index, 'works', heardUntil(60), {
        startMinute: 60 - minutes,
        progressMinute: 60,
        phases: [phase('operands.kubevirt', 60 - minutes)],
      })
      const endsMs = nowAt(index, 60).upgrading.items[0]!.phaseEndsMs
      return endsMs === undefined ? undefined : (endsMs - at(60 - minutes)) / MINUTE_MS
    }
    expect(expectedAfter(1)).toBe(14)
    expect(expectedAfter(16)).toBe(18)
    expect(expectedAfter(30)).toBeUndefined()
  })

  test('of a silent cluster nobody knows whether it still upgrades; what stood still by then is still told', () => {
    const index = createFleetIndex()
    learned(index, 2)
    put(index, 'dark', heardUntil(10, { hcoVersion: '1.16.0' }), {
      startMinute: 9,
      seenMinute: 10,
      phases: [phase('olm', 9)],
    })
    put(index, 'dark-and-stuck', heardUntil(40), { startMinute: 9, seenMinute: 40, phases: [phase('olm', 9)] })
    put(index, 'dark-long-ago', heardUntil(-9000))
    const now = nowAt(index, 60)
    expect([now.upgrading.count, now.upgrading.byPhase]).toEqual([0, []])
    expect(now.stuck.items).toMatchObject([{ id: 'dark-and-stuck-1.17.0', silentSinceMs: at(40) }])
    expect(now.silent.items).toEqual([
      {
        cluster: 'dark-and-stuck',
        cause: 'upgrade',
        lastSeenMs: at(40),
        version: undefined,
        upgrade: { id: 'dark-and-stuck-1.17.0', from: '1.16.0', to: '1.17.0', phase: 'olm', isStuck: true },
      },
      {
        cluster: 'dark',
        cause: 'upgrade',
        lastSeenMs: at(10),
        version: '1.16.0',
        upgrade: { id: 'dark-1.17.0', from: '1.16.0', to: '1.17.0', phase: 'olm', isStuck: false },
      },
      { cluster: 'dark-long-ago', cause: 'unknown', lastSeenMs: at(-9000), version: undefined, upgrade: undefined },
    ])
    expect(now.silent.byCause).toEqual([
      { cause: 'upgrade', count: 2 },
      { cause: 'unknown', count: 1 },
    ])
  })

  test('a reporting cluster with one silent source is counted by its cause, and not as silent', () => {
    const index = createFleetIndex()
    put(index, 'no-metrics', {
      coverage: { objects: true, metrics: true, spans: false, kinds: [], metricsLastMs: at(10), objectsLastMs: at(50) },
    })
    const { silent } = nowAt(index, 60)
    expect(silent).toEqual({
      count: 0,
      items: [],
      byCause: [],
      oneSource: [{ cause: 'remote_write_broken', count: 1 }],
    })
  })

  test('where nothing tells the phase it is counted under none, after all others', () => {
    const index = createFleetIndex()
    const dim: UpgradeRecord['upgrade']['phases'] = [phase('olm', 50, 52)]
    put(index, 'dim', heardUntil(60), { startMinute: 50, progressMinute: 52, phases: dim })
    put(index, 'clear', heardUntil(60), { startMinute: 59, phases: [phase('olm', 59)] })
    expect(nowAt(index, 60).upgrading.byPhase).toEqual([
      { phase: 'olm', count: 1, stuck: 0 },
      { phase: undefined, count: 1, stuck: 0 },
    ])
  })

  test('counts are exact where lists are cut', () => {
    const index = createFleetIndex()
    for (let i = 0; i < 5; i++) {
      put(index, `works-${i}`, heardUntil(60), { startMinute: 20, phases: [phase('olm', 20)] })
      put(index, `gone-${i}`, heardUntil(20))
    }
    const now = nowAt(index, 60, 2)
    for (const list of [now.stuck, now.upgrading, now.silent]) {
      expect([list.count, list.items.length]).toEqual([5, 2])
    }
  })
})
