import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { runAt } from '../../../src/fleet/derive/current-runs.ts'
import { historyAt } from '../../../src/fleet/derive/history-at.ts'
import type { MetricRun } from '../../../src/model/observation.ts'
import { at, observed, run } from './observed.ts'

/** The newest run of each series, by a walk over all that had begun. */
function walked(runs: readonly MetricRun[], atMs: number): readonly MetricRun[] {
  const newest = new Map<string, MetricRun>()
  for (const one of runs.flatMap((known) => runAt(known, atMs))) newest.set(JSON.stringify(one.labels), one)
  return [...newest.values()].filter(({ afterMs }) => afterMs === undefined)
}

test('at each moment they are those of a walk over all runs', () => {
  // Each 10 s a run of one of three series; what follows it ends it, or it is current.
  const runs = fc
    .array(fc.record({ series: fc.nat(2), value: fc.nat(3), isEnded: fc.boolean() }), { minLength: 1, maxLength: 20 })
    .map((all) =>
      all.map(({ series, value, isEnded }, i) =>
        run('unsafe_modifications', { annotation_name: `a${series}` }, value, [i * 10, i * 10 + 4], {
          ...(isEnded ? { after: i * 10 + 6 } : {}),
        }),
      ),
    )
  fc.assert(
    fc.property(runs, (all) => {
      const history = clusterHistory(observed([], all))
      const known = history.runs('unsafe_modifications')
      expect(history.currentRuns('unsafe_modifications')).toEqual(walked(known, Infinity))
      for (let seconds = -1; seconds <= 205; seconds++) {
        const then = historyAt(history, at(seconds))
        expect(then.currentRuns('unsafe_modifications')).toEqual(walked(known, at(seconds)))
      }
    }),
    { numRuns: 50 },
  )
})

test('a run is current until the scrape that ended it', () => {
  const history = clusterHistory(observed([], [run('hco_health', {}, 1, [0, 30], { after: 45 })]))
  const valuesAt = (seconds: number) => historyAt(history, at(seconds)).currentRuns('hco_health')
  expect([0, 30, 44, 45].map((seconds) => valuesAt(seconds).length)).toEqual([1, 1, 1, 0])
  expect(valuesAt(10)).toEqual([run('hco_health', {}, 1, [0, 10])])
})
