import { expect, test } from 'vitest'
import { Schedule, updateLastSeen, SeriesStage, DayCountStage } from '../../../src/fleet/loop/periodic-stages.ts'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { createLoopState } from '../../../src/fleet/loop/loop-state.ts'
import { NOW_MS } from '../../store/temp-store.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import type { DerivedSample } from '../../../src/model/appender.ts'
import { Labels } from '../../../src/model/labels.ts'
import { dayStartMs } from '../../../src/fleet/adoption/day.ts'
import type { CountingPorts } from '../../../src/fleet/adoption/count-days.ts'
import { recordOf } from '../adoption/fleet.ts'

test('work is due at first, then once in its interval, and anew when the clock is set back or the schedule reset', () => {
  const schedule = new Schedule()
  const due = [1000, 1500, 2000, 2999, 500, 600].map((nowMs) => schedule.isDue(1000, nowMs))
  expect(due).toEqual([true, false, true, false, true, false])
  schedule.reset()
  expect(schedule.isDue(1000, 601)).toBe(true)
})

test('a cluster that reports the same as before is seen, and pages are told when it falls silent', async () => {
  const index = createFleetIndex()
  const coverage = { objects: true, metrics: true, spans: false, kinds: [] }
  for (const name of ['a', 'b']) {
    const cluster = emptyRecord(name, { versions: { kubevirt: '1.7.0' }, lastSeenMs: NOW_MS, coverage })
    index.put({ cluster, upgrades: [], intervals: [], modifications: [] })
  }
  const state = createLoopState()
  const seen = new Map([
    ['a', NOW_MS],
    ['b', NOW_MS],
  ])
  const asked: number[] = []
  const parts = {
    signals: {
      eachLastSeen: (visit: (cluster: string, newestMs: number) => void) => {
        for (const [cluster, newestMs] of seen) visit(cluster, newestMs)
      },
    },
    observations: {
      joins: () => Promise.resolve(new Map([['uid-a', 'a']])),
      lastSeenSince: (timeMs: number) => {
        asked.push(timeMs)
        return Promise.resolve([{ cluster: 'a', objectsMs: seen.get('a')! + 5 }])
      },
    },
  }
  const silentAt = async (nowMs: number) => {
    await updateLastSeen(parts, state, index, nowMs)
    return [index.coverage(nowMs).silent, state.changedFacts.take()]
  }
  expect(await silentAt(NOW_MS)).toEqual([0, []])
  expect(index.lastReportOf('a')?.lastSeenMs).toBe(NOW_MS + 5)
  seen.set('a', NOW_MS + 3 * 3_600_000)
  expect(await silentAt(NOW_MS + 3 * 3_600_000)).toEqual([1, ['clusters']])
  expect(await silentAt(NOW_MS + 3 * 3_600_000 + 1)).toEqual([1, []])
  expect(asked[0]).toBe(NOW_MS - 2 * 3_600_000)
})

test('series are written once a minute, and one that was written before the start and is gone ends', async () => {
  const index = createFleetIndex()
  index.put({ cluster: emptyRecord('a', { lastSeenMs: NOW_MS }), upgrades: [], intervals: [], modifications: [] })
  const appended: DerivedSample[][] = []
  const gone = Labels.of({ __name__: 'daytwo_cluster_last_seen_seconds', cluster: 'b' })
  const stage = new SeriesStage({
    writtenSeries: () => [{ labels: gone }],
    appendDerived: (samples) => {
      appended.push([...samples])
      return Promise.resolve()
    },
  })
  for (const seconds of [0, 1, 59, 60]) await stage.run(index, NOW_MS + seconds * 1000, [])
  expect(appended).toHaveLength(2)
  const infoOf = (samples: readonly DerivedSample[]) =>
    samples
      .filter(({ labels }) => labels.metricName === 'daytwo_cluster_last_seen_seconds')
      .map(({ labels, isStale }) => `${labels.get('cluster')} ${isStale ? 'ends' : 'is'}`)
      .sort()
  expect(appended.map(infoOf)).toEqual([['a is', 'b ends'], ['a is']])
})

const NOON_MS = dayStartMs('2026-03-20') + 12 * 3_600_000

function stageOf() {
  const updated = new Map<string, number>()
  const put: string[] = []
  const ports: CountingPorts = {
    facts: { intervalsAt: () => Promise.resolve([]) },
    clusters: () => Promise.resolve([recordOf('a', { firstSeenMs: dayStartMs('2026-03-14'), lastSeenMs: NOON_MS })]),
    goneAt: () => Promise.resolve(new Set()),
    days: () => Promise.resolve(Array.from(updated, ([day, updatedMs]) => ({ day, updatedMs }))),
    putDay: (day, _rows, _usage, nowMs) => {
      updated.set(day, nowMs)
      put.push(day.slice(8))
      return Promise.resolve()
    },
  }
  const stage = new DayCountStage(ports, createLoopState())
  const run = async (nowMs: number, isComplete = true) => {
    await stage.run(isComplete, nowMs)
    return put.splice(0).join(' ')
  }
  return { stage, run, updated }
}

test('days are counted when all that was stored is derived, then once a minute those that are due', async () => {
  const { stage, run } = stageOf()
  expect(await run(NOON_MS, false)).toBe('')
  expect(await run(NOON_MS)).toBe('14 15 16 17 18 19 20')
  expect(await run(NOON_MS + 15 * 60_000, false)).toBe('20')
  expect(stage.daysLeft).toBe(0)
})

test('a start counts the last two days again', async () => {
  const { run, updated } = stageOf()
  for (let day = 14; day <= 20; day++) updated.set(`2026-03-${day}`, NOON_MS - 1)
  expect(await run(NOON_MS)).toBe('18 19 20')
})

test('days from a change on are counted at once', async () => {
  const { stage, run } = stageOf()
  await run(NOON_MS)
  expect(await run(NOON_MS + 1000)).toBe('')
  stage.recount(dayStartMs('2026-03-18') + 5, NOON_MS + 1000)
  expect(await run(NOON_MS + 2000)).toBe('18 19 20')
})
