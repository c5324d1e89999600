import { expect, test } from 'vitest'
import { LabelList } from '../../src/model/label-rows.ts'
import { Labels } from '../../src/model/labels.ts'
import type { Queryable } from '../../src/model/queryable.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'

// A query selects its series, waits for another one that selects more, and groups then: the cached groups are those of
// more rows than it has.

const LINEAGE = {}
const SERIES = ['a', 'b', 'c', 'd'].map((pod) => Labels.of({ __name__: 'up', pod, job: 'x' }))

/** A store that has the first `rows` series, with the values 1, 2, ... */
function storeOf(rows: () => number): Queryable {
  return {
    select: () => [],
    selectRuns: () => ({
      rows: new LabelList(SERIES.slice(0, rows()), LINEAGE),
      readRuns: () => {
        throw new Error('an instant query reads the newest samples')
      },
      readNewest: (timesMs, values) => {
        for (let row = 0; row < timesMs.length; row++) {
          timesMs[row] = 0
          values[row] = row + 1
        }
      },
    }),
    series: () => [],
    labelNames: () => [],
    labelValues: () => [],
  }
}

test.each([
  ['quantile by (job) (0.5, up)', [1.5]],
  ['quantile by (job) (1, up)', [2]],
  ['topk by (job) (3, up)', [2, 1]],
  ['bottomk by (job) (3, up)', [1, 2]],
  ['sum by (job) (up)', [3]],
  ['stddev by (job) (up)', [0.5]],
  ['count_values by (job) ("n", up)', [1, 1]],
])('%s over fewer rows than are grouped', async (expr, wanted) => {
  let rows = 4
  const options = { ...DEFAULT_ENGINE_OPTIONS }
  const engine = createLocalEngine({ queryable: storeOf(() => rows), options, nowMs: () => 0 })
  await engine.instant({ expr, timeMs: 0 })
  rows = 2
  const { value } = await engine.instant({ expr, timeMs: 0 })
  expect(value.type === 'vector' && value.samples.map((sample) => sample.value)).toEqual(wanted)
})
