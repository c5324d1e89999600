import { expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { conditionChanges, featureGateChanges } from '../../../src/fleet/derive/condition-changes.ts'
import { at, hyperConverged, look, observed } from './observed.ts'

test('changes of a range are those from its start to its end, both included', () => {
  const states = [0, 60, 120, 180].map((seconds, i) =>
    look(
      seconds,
      hyperConverged({
        conditions: [{ type: 'Available', status: i % 2 === 0 ? 'True' : 'False', reason: 'R', message: '' }],
        featureGates: { a: i % 2 === 0 },
      }),
    ),
  )
  const history = clusterHistory(observed(states))
  const timesIn = (from: number, to: number) => {
    const range = { fromMs: at(from), toMs: at(to) }
    return [conditionChanges(history, range), featureGateChanges(history, range)].map((changes) =>
      changes.map(({ atMs }) => atMs),
    )
  }
  expect(timesIn(60, 120)).toEqual([
    [at(60), at(120)],
    [at(60), at(120)],
  ])
  expect(timesIn(61, 179)).toEqual([[at(120)], [at(120)]])
  expect(timesIn(181, 300)).toEqual([[], []])
})
