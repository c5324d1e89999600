import { describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { LabelList } from '../../src/model/label-rows.ts'
import { Labels } from '../../src/model/labels.ts'
import type { Portions, Queryable } from '../../src/model/queryable.ts'
import type { RunColumns } from '../../src/model/run-columns.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'

// A query over more than it may read, or longer than somebody waits, ends in the middle of its series.

const SERIES = 100_000
const SCRAPE_MS = 30_000
const RUNS = 10_000

/** A fleet with a billion samples, made when they are read. Each read takes `readMs` of the engine's clock. */
class BillionSamples implements Queryable {
  rowsRead = 0
  clockMs = 0
  onRead: () => void = () => undefined
  readonly #readMs: number

  constructor(readMs: number) {
    this.#readMs = readMs
  }

  selectRuns(): ReturnType<NonNullable<Queryable['selectRuns']>> {
    const rows = new LabelList(Array.from({ length: SERIES }, (_, i) => Labels.of({ __name__: 'm', i: String(i) })))
    return { rows, readRuns: this.#read, readNewest: () => undefined }
  }

  readonly #read = (from: number, to: number, into: RunColumns): void => {
    into.clear(Infinity)
    for (let row = from; row < to; row++) {
      for (let i = 0; i < RUNS; i++) into.pushCut(i * SCRAPE_MS, 0, 1, 0, i, -Infinity, Infinity)
      into.endRow()
    }
    this.rowsRead = to
    this.clockMs += this.#readMs
    this.onRead()
  }

  select(): never {
    throw new Error('samples are asked for as runs')
  }

  series(): Portions<Labels> {
    return []
  }

  labelNames(): Portions<string> {
    return []
  }

  labelValues(): Portions<string> {
    return []
  }
}

const ASKED = { expr: 'sum(max_over_time(m[1h]))', startMs: 0, endMs: RUNS * SCRAPE_MS, stepMs: 3_600_000 }

async function failureOf(asked: Promise<unknown>): Promise<FleetError> {
  const thrown: unknown = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(thrown).toBeInstanceOf(FleetError)
  return thrown as FleetError
}

describe('a query over a billion samples', () => {
  test('is stopped in the first portion that is beyond its limit', async () => {
    const queryable = new BillionSamples(0)
    const options = { ...DEFAULT_ENGINE_OPTIONS, samplesMax: 3_000_000 }
    const engine = createLocalEngine({ queryable, options, nowMs: () => queryable.clockMs })
    const failure = await failureOf(engine.range(ASKED))
    expect(failure.code).toBe('query_limit')
    expect(failure.message).toContain('3000000')
    expect(queryable.rowsRead).toBeGreaterThan(200)
    expect(queryable.rowsRead).toBeLessThan(400)
  })

  test('gives its thread away between portions: an abort and another query come through', async () => {
    const queryable = new BillionSamples(30)
    const engine = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => queryable.clockMs })
    const abort = new AbortController()
    let answered: unknown
    queryable.onRead = () => {
      queryable.onRead = () => undefined
      void engine.instant({ expr: '1 + 1', timeMs: 0 }).then(({ value }) => {
        answered = value
        abort.abort()
      })
    }
    const failure = await failureOf(engine.range(ASKED, abort.signal))
    expect(failure.code).toBe('query_canceled')
    expect(answered).toEqual({ type: 'scalar', timeMs: 0, value: 2 })
    expect(queryable.rowsRead).toBeLessThan(1000)
  })
})
