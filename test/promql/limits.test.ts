import { describe, expect, test } from 'vitest'
import type { Queryable } from '../../src/model/queryable.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { QueryEngine } from '../../src/promql/query-engine.ts'
import { HOUR_MS, NOW_MS, TempStore } from '../store/temp-store.ts'

// A query over a real store that would read far more than it may is refused for what the packs say they have, before it has
// computed what it may; one that may is answered, whatever its first series look like.

const SERIES = 1000
const SCRAPES = 400
const SCRAPE_MS = 30_000
/** The first series change with each scrape; the others, of `calm`, never. */
const RESTLESS = 100

async function filled(series = SERIES): Promise<TempStore> {
  const store = new TempStore({}, NOW_MS)
  const refs = (metric: string): number[] =>
    Array.from({ length: series }, (_, i) => store.resolve({ __name__: metric, cluster: `c-${i}` }))
  const [busy, calm] = [refs('busy'), refs('calm')]
  for (let scrape = 0; scrape < SCRAPES; scrape++) {
    const timeMs = NOW_MS + scrape * SCRAPE_MS
    for (let i = 0; i < series; i++) {
      store.writer.appender.append(busy[i]!, timeMs, scrape)
      store.writer.appender.append(calm[i]!, timeMs, i < RESTLESS ? scrape : 1)
    }
    await store.writer.appender.commit()
  }
  await store.writer.maintain(NOW_MS + 24 * HOUR_MS)
  return store
}

interface Watched {
  readonly engine: QueryEngine
  readonly rowsRead: () => number
}

function engineOver({ reader }: TempStore, samplesMax: number): Watched {
  let rowsRead = 0
  const queryable: Queryable = {
    select: (request) => reader.select(request),
    selectRuns: (request) => {
      const selection = reader.selectRuns(request)
      return {
        rows: selection.rows,
        readRuns: (from, to, into) => {
          rowsRead += to - from
          selection.readRuns(from, to, into)
        },
        runsAtLeast: (from, to) => selection.runsAtLeast!(from, to),
        readNewest: (timesMs, values) => {
          selection.readNewest(timesMs, values)
        },
      }
    },
    series: (matchers, range) => reader.series(matchers, range),
    labelNames: (matchers, range) => reader.labelNames(matchers, range),
    labelValues: (name, matchers, range) => reader.labelValues(name, matchers, range),
  }
  const options = { ...DEFAULT_ENGINE_OPTIONS, samplesMax }
  return { engine: createLocalEngine({ queryable, options, nowMs: () => 0 }), rowsRead: () => rowsRead }
}

const RANGE = { startMs: NOW_MS, endMs: NOW_MS + SCRAPES * SCRAPE_MS, stepMs: 60_000 }

describe('a query over more than it may read', () => {
  test('is refused after its first portion, and before only what is certain', async () => {
    const store = await filled()
    const { engine, rowsRead } = engineOver(store, 100_000)
    for (const expr of ['sum(busy)', 'sum(rate(busy[5m]))', 'deriv(busy[1h])']) {
      const before = rowsRead()
      await expect(engine.range({ expr, ...RANGE })).rejects.toMatchObject({
        code: 'query_limit',
        message: expect.stringContaining('limit is 100000') as string,
      })
      expect(rowsRead() - before, expr).toBeLessThanOrEqual(64)
    }
    // As restless as its first rows it would read 400,000; it reads some 41,000.
    const { value, stats } = await engine.range({ expr: 'sum(calm)', ...RANGE })
    expect(value).toMatchObject({ type: 'matrix', series: [{}] })
    expect(stats.samplesRead).toBeLessThan(60_000)
    // One more than it reads is no limit, one less is.
    const exact = stats.samplesRead
    await engineOver(store, exact).engine.range({ expr: 'sum(calm)', ...RANGE })
    await expect(engineOver(store, exact - 1).engine.range({ expr: 'sum(calm)', ...RANGE })).rejects.toMatchObject({
      code: 'query_limit',
    })
  })

  test('is refused before anything is read when each selector may be read, but not all of them', async () => {
    const store = await filled()
    const { engine, rowsRead } = engineOver(store, 460_000)
    // Each of them reads 400,000 and some; the one of a constant next to nothing.
    const together = [
      'sum(busy) + sum(rate(busy[5m]))',
      'max(rate(busy[5m])) / max(increase(busy[5m]))',
      'sum(max_over_time(sum(busy)[10m:1m])) + sum(delta(busy[10m]))',
      'count(busy == 3) unless on () absent(calm) and sum(changes(busy[2m]))',
    ]
    for (const expr of together) {
      const before = rowsRead()
      await expect(engine.range({ expr, ...RANGE }), expr).rejects.toMatchObject({ code: 'query_limit' })
      // A few rows of each, for the guess.
      expect(rowsRead() - before, expr).toBeLessThanOrEqual(24)
    }
    // The same selector twice is read once, and constants are few runs.
    for (const expr of ['sum(busy) + sum(busy)', 'sum(busy) + sum(calm)', 'sum(calm) + sum(calm offset 10m)']) {
      await expect(engine.range({ expr, ...RANGE }), expr).resolves.toMatchObject({ value: { type: 'matrix' } })
    }
    // Neither is a query that looks at the newest sample only.
    const newest = engine.instant({ expr: 'sum(busy) + sum(busy offset 10m)', timeMs: RANGE.endMs })
    await expect(newest).resolves.toMatchObject({ value: { type: 'vector' } })
  })

  test('gives up on bytes of results, and on time', async () => {
    const store = await filled(100)
    const options = { ...DEFAULT_ENGINE_OPTIONS, resultBytesMax: 100_000 }
    const small = createLocalEngine({ queryable: store.reader, options, nowMs: () => 0 })
    await expect(small.range({ expr: 'busy * 2', ...RANGE })).rejects.toMatchObject({
      code: 'query_limit',
      message: expect.stringContaining('limit is 100000') as string,
    })
    let nowMs = 0
    const slow = createLocalEngine({
      queryable: store.reader,
      options: DEFAULT_ENGINE_OPTIONS,
      nowMs: () => (nowMs += 10),
    })
    await expect(slow.range({ expr: 'sum(busy)', ...RANGE, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'query_timeout',
      message: expect.stringContaining('limit is 50 ms') as string,
    })
  })
})

describe('regular expressions of a query', () => {
  const pod = (i: number): string => `${'a'.repeat(2000)}${i}`
  const slow = 'a?'.repeat(4900)

  async function engineOf(regexStepsMax?: number, series = 300): Promise<QueryEngine> {
    const store = new TempStore({}, NOW_MS)
    for (let i = 0; i < series; i++) {
      store.writer.appender.append(store.resolve({ __name__: 'up', pod: pod(i) }), NOW_MS, i)
    }
    await store.writer.appender.commit()
    const options = { ...DEFAULT_ENGINE_OPTIONS, ...(regexStepsMax === undefined ? {} : { regexStepsMax }) }
    return createLocalEngine({ queryable: store.reader, options, nowMs: () => performance.now() })
  }

  /** How often the event loop turns meanwhile. */
  async function turnsOf(work: Promise<unknown>): Promise<number> {
    let turns = 0
    let isOver = false
    const turn = (): void => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    await work.finally(() => {
      isOver = true
    })
    return turns
  }

  test.each([
    ['a selector', `up{pod=~"${slow}"}`],
    ['two selectors', `up{pod=~"${slow}"} + up{pod!~"${slow}"}`],
    ['label_replace', `label_replace(up, "x", "$1", "pod", "${slow}")`],
    ['all groups', `label_replace(up, "x", "$500", "pod", "${'(a|b|c|d|[0-9])*'.repeat(500)}")`],
  ])('beyond their steps are refused: %s', async (_, expr) => {
    const engine = await engineOf()
    const refused = expect(engine.instant({ expr, timeMs: NOW_MS })).rejects
    await refused.toMatchObject({
      code: 'query_limit',
      message: expect.stringContaining('takes more than 10000000 steps (promql.regex-steps-max)') as string,
    })
  })

  test('count for all selectors of a query together', async () => {
    const engine = await engineOf(300_000)
    const selector = (i: number): string => `up{pod=~".*${i}"}`
    const { value } = await engine.instant({ expr: selector(0), timeMs: NOW_MS })
    expect(value).toMatchObject({ samples: { length: 30 } })
    const many = Array.from({ length: 10 }, (_, i) => selector(i)).join(' or ')
    await expect(engine.instant({ expr: many, timeMs: NOW_MS })).rejects.toThrow('promql.regex-steps-max')
  })

  test('in label_replace have a limit per text, and yield the thread between texts', async () => {
    const engine = await engineOf(undefined, 6)
    const expr = `label_replace(up, "x", "$1-$34", "pod", "${'((a|ab)(c|bc)?)*'.repeat(34)}[0-9]*")`
    const answer = engine.instant({ expr, timeMs: NOW_MS })
    expect(await turnsOf(answer)).toBeGreaterThanOrEqual(5)
    expect((await answer).value).toMatchObject({ samples: { length: 6 } })
  })

  test('that are too long for label_replace are refused as in a selector, before anything is read', async () => {
    const engine = await engineOf()
    const expr = `label_replace(nothing, "x", "$1", "pod", "${'(ab|cd)'.repeat(4857)}")`
    await expect(engine.instant({ expr, timeMs: NOW_MS })).rejects.toMatchObject({
      code: 'query_parse',
      message:
        'label_replace(): regular expression too long: it has 33999 characters, promql.regex-length-max is 10000',
    })
  })
})
