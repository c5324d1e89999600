import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import type { Queryable } from '../../src/model/queryable.ts'
import { createLocalEngine, type LocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { ExplainedNode, ExplainedRead } from '../../src/promql/explanation.ts'
import { HOUR_MS, MINUTE_MS, TempStore } from '../store/temp-store.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

// What an explanation says is true of a real store, whose head, packs and rollups all have a part of the answer.

const DAY_MS = 24 * HOUR_MS
const START_MS = 20_376 * DAY_MS
const END_MS = START_MS + 12 * HOUR_MS
const CLUSTERS = 20

/** Every look at the clock takes a millisecond, so that every piece of work takes time. */
function engineOver(queryable: Queryable, rollupRunsMin = 8): LocalEngine {
  let nowMs = 0
  return createLocalEngine({
    queryable,
    options: { ...DEFAULT_ENGINE_OPTIONS, rollupRunsMin },
    nowMs: () => nowMs++,
  })
}

/** Twelve hours of a counter and a constant from each cluster; the oldest hours are packed and rolled up. */
async function filledStore(): Promise<TempStore> {
  const store = new TempStore({ outOfOrderMs: 10 * MINUTE_MS, flushEveryMs: 2 * HOUR_MS }, START_MS)
  const clusters = Array.from({ length: CLUSTERS }, (_, i) => `c-${i}`)
  const counters = clusters.map((cluster) => store.resolve({ __name__: 'x_total', cluster, region: 'eu' }))
  const infos = clusters.map((cluster) => store.resolve({ __name__: 'info', cluster, version: '1.2' }))
  for (let timeMs = START_MS + 15_000, i = 0; timeMs <= END_MS; timeMs += 30_000, i++) {
    for (let c = 0; c < CLUSTERS; c++) {
      store.writer.appender.append(counters[c]!, timeMs, i * (c + 1))
      store.writer.appender.append(infos[c]!, timeMs, 1)
    }
    if (i % 120 === 0) {
      await store.writer.appender.commit()
      await store.writer.maintain(timeMs)
    }
  }
  await store.writer.appender.commit()
  await store.writer.maintain(END_MS)
  return store
}

function allOf(node: ExplainedNode): ExplainedNode[] {
  return [node, ...node.children.flatMap(allOf)]
}

function readsOf(node: ExplainedNode): ExplainedRead[] {
  return allOf(node).flatMap(({ reads }) => reads)
}

/** Own times of all nodes make the total of the first, and nothing takes less than no time. */
function checkTimes(root: ExplainedNode, busyMs: number): void {
  const nodes = allOf(root)
  expect(nodes.reduce((sum, { ownMs }) => sum + ownMs, 0)).toBeCloseTo(root.totalMs, 6)
  for (const { ownMs, totalMs, text } of nodes) {
    expect(ownMs, text).toBeGreaterThanOrEqual(0)
    expect(totalMs, text).toBeGreaterThanOrEqual(ownMs)
  }
  expect(root.totalMs).toBeGreaterThan(0)
  expect(busyMs).toBeGreaterThanOrEqual(root.totalMs)
}

describe('an explanation over a store', () => {
  test('says which parts of the store answered, and its sums add up', async () => {
    const store = await filledStore()
    const engine = engineOver(store.reader, 0)
    const range = { startMs: START_MS, endMs: END_MS, stepMs: HOUR_MS }

    const counted = await engine.explain({ expr: 'sum by (region) (increase(x_total[1h]))', ...range })
    checkTimes(counted.root, counted.busyMs)
    expect(counted.steps).toBe(13)
    expect(counted.root).toMatchObject({
      kind: 'aggregate',
      text: 'sum by (region) (increase(x_total[1h]))',
      from: 0,
      to: 39,
      result: { type: 'vector', series: 1, samples: 12, steps: 13 },
      groupsMade: 1,
    })
    const [rolled] = readsOf(counted.root)
    expect(rolled).toMatchObject({
      source: 'rollups',
      kernel: 'buckets',
      widthMs: HOUR_MS,
      seriesMatched: CLUSTERS,
      seriesRead: CLUSTERS,
    })
    // Stored buckets of an hour, and what is not rolled up yet from the head.
    const widths = new Map(rolled!.store!.buckets.map(({ widthMs, count }) => [widthMs, count]))
    expect(widths.get(HOUR_MS)).toBeGreaterThan(0)
    expect(widths.get(0)).toBeGreaterThan(0)
    expect([...widths.values()].reduce((sum, count) => sum + count, 0)).toBe(rolled!.buckets)
    expect(counted.samplesRead).toBe(readsOf(counted.root).reduce((sum, read) => sum + read.buckets + read.runs, 0))

    const samples = await engine.explain({ expr: 'rate(x_total[10m])', ...range, stepMs: 7 * MINUTE_MS })
    checkTimes(samples.root, samples.busyMs)
    const [read] = readsOf(samples.root)
    expect(read).toMatchObject({ source: 'runs', kernel: 'runs', seriesRead: CLUSTERS })
    expect(read!.reasons.join()).toContain('are not aligned with rollup buckets')
    expect(read!.store!.headRuns).toBeGreaterThan(0)
    expect(read!.store!.packRuns).toBeGreaterThan(0)
    expect(read!.store!.headRuns + read!.store!.packRuns).toBe(read!.runs)
    expect(read!.store!.packs).toBeGreaterThan(0)
    expect(read!.store!.packBytes).toBeGreaterThan(0)
    // The last step of seven minutes is six minutes before the end.
    expect(read!.samples).toBe(CLUSTERS * (12 * 60 - 6) * 2)
    expect(samples.samplesRead).toBe(read!.runs)

    const again = await engine.explain({ expr: 'rate(x_total[10m])', ...range, stepMs: 7 * MINUTE_MS })
    const { store: known } = readsOf(again.root)[0]!
    expect(known).toMatchObject({ isMatchKnown: true, packBytes: 0, packs: known!.packsKept })
  })

  test('says why a slower way was taken', async () => {
    const store = await filledStore()
    const engine = engineOver(store.reader)
    const range = { startMs: START_MS, endMs: END_MS, stepMs: HOUR_MS }
    const reasonsOf = async (expr: string): Promise<string> =>
      readsOf((await engine.explain({ expr, ...range })).root)
        .flatMap(({ reasons }) => reasons)
        .join('; ')
    expect(await reasonsOf('deriv(x_total[1h])')).toBe(
      'deriv does not support rollups; deriv is computed from samples: it does not support runs',
    )
    expect(await reasonsOf('changes(info[1h])')).toMatch(
      /^runs are cheaper: about \S+ a bucket, rollups are read from 8/,
    )
    expect(await reasonsOf('increase(x_total[1h])')).toBe('')
    const expanded = await engine.explain({ expr: 'deriv(x_total[1h])', ...range })
    expect(readsOf(expanded.root)[0]).toMatchObject({ source: 'runs', kernel: 'samples' })
  })

  test('shows the shape of the query: repeats, matches, parts that @ fixes, subqueries', async () => {
    const store = await filledStore()
    const engine = engineOver(store.reader)
    const range = { startMs: END_MS - HOUR_MS, endMs: END_MS, stepMs: 10 * MINUTE_MS }

    const share = await engine.explain({
      expr: 'count by (version) (info == 1) / ignoring (version) group_left () count(info == 1)',
      ...range,
    })
    checkTimes(share.root, share.busyMs)
    const equal = allOf(share.root).filter(({ text }) => text === 'info == 1')
    expect(equal.map(({ repeats }) => repeats)).toEqual([0, 1])
    expect(readsOf(share.root)).toHaveLength(1)
    expect(equal[1]!.result).toEqual(equal[0]!.result)

    const fixed = await engine.explain({ expr: '((x_total @ end())) * 2', ...range })
    checkTimes(fixed.root, fixed.busyMs)
    expect(fixed.root.result).toMatchObject({ series: CLUSTERS, samples: CLUSTERS * 7, steps: 7 })
    expect(fixed.root.children[0]).toMatchObject({
      kind: 'vector',
      text: 'x_total @ end()',
      isStepInvariant: true,
      result: { series: CLUSTERS, samples: CLUSTERS, steps: 1 },
      reads: [{ source: 'newest', seriesRead: CLUSTERS, store: { headRuns: CLUSTERS, packRuns: 0 } }],
    })

    const nested = await engine.explain({ expr: 'max_over_time(rate(x_total[5m])[30m:1m])', ...range })
    checkTimes(nested.root, nested.busyMs)
    expect(allOf(nested.root).map(({ kind }) => kind)).toEqual(['call', 'subquery', 'call', 'matrix', 'vector'])
    expect(nested.root.children[0]!.result).toMatchObject({ type: 'matrix', series: CLUSTERS })

    const instant = await engine.explain({ expr: 'timestamp(info)', timeMs: END_MS })
    checkTimes(instant.root, instant.busyMs)
    expect(instant).toMatchObject({ steps: 1, stepMs: undefined, startMs: END_MS, endMs: END_MS })
  })

  test('does not change the answer, and counts what the answer counts', async () => {
    const store = await filledStore()
    const engine = engineOver(store.reader)
    const asked = { expr: 'sum(rate(x_total[5m]))', startMs: START_MS, endMs: END_MS, stepMs: 3 * MINUTE_MS }
    const { stats, value } = await engine.range(asked)
    const explained = await engine.explain(asked)
    expect(explained.samplesRead).toBe(stats.samplesRead)
    expect(value.type === 'matrix' ? value.series[0]!.values.length : 0).toBe(explained.root.result!.samples)
    await expect(engine.explain({ ...asked, expr: 'sum(' })).rejects.toMatchObject({ code: 'query_parse' })
  })
})

test('a store of samples is explained too', async () => {
  const queryable = new MemoryQueryable()
  for (let i = 0; i < 10; i++) queryable.append(Labels.of({ __name__: 'm', i: String(i % 2) }), i * 1000, i)
  const explained = await engineOver(queryable).explain({ expr: 'sum(rate(m[5s])) + sum(m)', timeMs: 9000 })
  checkTimes(explained.root, explained.busyMs)
  expect(readsOf(explained.root)).toMatchObject([
    { source: 'samples', kernel: 'samples', seriesRead: 2, samples: 5, reasons: ['the store has no runs'] },
    { source: 'samples', seriesRead: 2, samples: 10, reasons: [] },
  ])
})
