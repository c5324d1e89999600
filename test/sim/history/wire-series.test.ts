import { expect, test } from 'vitest'
import { metricRuns } from '../../../sim/history/metric-runs.ts'
import { truthOfHistory } from '../../../sim/history/history-truth.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { adoptionByDay, renderTruth } from '../../../sim/history/truth-file.ts'
import { historySamples } from '../../../sim/history/wire-series.ts'

const HALF_YEAR = { seed: 'series', fromMs: Date.UTC(2026, 2, 1), untilMs: Date.UTC(2026, 8, 1), mode: 'all' } as const
const FLEET = [0, 1, 2].map((index) => planHistory({ ...HALF_YEAR, index }))

test('a series has the samples of its runs, and a stale marker where it ends', () => {
  const [history] = FLEET
  const version = truthOfHistory(history!).upgrades.find(({ operator }) => operator !== 'openshift')!.to
  const run = metricRuns(history!).find(
    ({ signal, labels, value }) => signal === 'csv_succeeded' && labels['version'] === version && value === 0,
  )!
  const series = historySamples(history!).find(
    ({ labels }) => labels.get('__name__') === 'csv_succeeded' && labels.get('version') === version,
  )!
  expect(series.samples[0]).toEqual({ timeMs: run.firstMs, value: 0 })
  expect(series.samples.filter(({ timeMs }) => timeMs <= run.lastMs).every(({ value }) => value === 0)).toBe(true)
  const ended = historySamples(history!).find(({ labels }) => labels.get('__name__') === 'csv_abnormal')!
  expect(ended.samples.at(-1)).toMatchObject({ isStale: true })
})

test('every node of a version is a series of its own', () => {
  const [history] = FLEET
  const infos = historySamples(history!).filter(({ labels }) => labels.get('__name__') === 'kubevirt_info')
  const nodes = new Set(infos.map(({ labels }) => labels.get('node')))
  expect(nodes.size).toBe(history!.profile.nodes.length)
})

test('each day counts every cluster once, and the file has times a person reads', () => {
  const truths = FLEET.map(truthOfHistory)
  const days = adoptionByDay(truths, HALF_YEAR.fromMs, HALF_YEAR.untilMs)
  expect(days).toHaveLength(184)
  const old = truths.filter(({ fromMs }) => fromMs === HALF_YEAR.fromMs).length
  for (const { versions } of days) {
    const count = Object.values(versions).reduce((sum, clusters) => sum + clusters, 0)
    expect(count).toBeGreaterThanOrEqual(old)
    expect(count).toBeLessThanOrEqual(truths.length)
  }
  const text = renderTruth(truths, { seed: 'series' })
  const file = JSON.parse(text) as { clusters: { upgrades: { startedAt?: string }[] }[]; adoption: unknown[] }
  expect(file.clusters).toHaveLength(3)
  expect(file.clusters.flatMap(({ upgrades }) => upgrades)[0]!.startedAt).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  expect(text).not.toContain('startedMs')
})
