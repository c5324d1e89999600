import { expect, test } from 'vitest'
import { replayBaseline, type PastConfiguration } from '../../../src/fleet/configuration/baseline-replay.ts'
import type { ValueInterval } from '../../../src/model/cluster-value.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

const TIMEOUT = 'liveMigration.progressTimeout'
/** Progress timeouts from a time on; `undefined`: not set. Settings are reported from `reportedMs` on. */
function past(
  cluster: string,
  timeouts: readonly (readonly [number, number | undefined])[],
  reportedMs = 0,
): PastConfiguration {
  const values: ValueInterval[] = [{ key: 'settings/apiVersion', fromMs: reportedMs, value: 'hco.kubevirt.io/v1beta1' }]
  for (const [i, [fromMs, value]] of timeouts.entries()) {
    const untilMs = timeouts[i + 1]?.[0]
    if (value !== undefined)
      values.push({
        key: 'settings/liveMigration/progressTimeout',
        fromMs,
        ...(untilMs === undefined ? {} : { untilMs }),
        value,
      })
  }
  const interval = {
    cluster,
    operator: 'kubevirt-hyperconverged',
    version: '1.17.0',
    fromMs: 0,
    isStartKnown: true,
    resolutionSeconds: 1,
  }
  return { record: emptyRecord(cluster, { hcoVersion: '1.17.0', lastSeenMs: 1e6 }), intervals: [interval], values }
}
const WINDOW = { fromMs: 100, toMs: 1000 }

test('the times in which a cluster differs, from its changes and from those of the baseline', () => {
  const one = past('a', [
    [0, 200],
    [400, 300],
  ])
  const proposed = past('b', [
    [0, 200],
    [600, 300],
  ])
  expect(replayBaseline(one, proposed, undefined, WINDOW)).toEqual({
    cluster: 'a',
    comparedMs: 900,
    times: [{ fromMs: 400, untilMs: 600, proposed: [TIMEOUT], present: [] }],
  })
})

test('against two baselines: which of them it differs from, and when', () => {
  const found = replayBaseline(
    past('a', [
      [0, 200],
      [400, 300],
    ]),
    past('b', [[0, 300]]),
    past('c', [[0, 200]]),
    WINDOW,
  )
  expect(found.times).toEqual([
    { fromMs: 100, untilMs: 400, proposed: [TIMEOUT], present: [] },
    { fromMs: 400, untilMs: 1000, proposed: [], present: [TIMEOUT] },
  ])
})

test('times with equal differences are one, and a cluster that never differs has none', () => {
  const moving = past('a', [
    [0, 200],
    [300, 201],
    [500, 202],
  ])
  expect(replayBaseline(moving, past('b', [[0, 300]]), undefined, WINDOW).times).toHaveLength(1)
  expect(replayBaseline(moving, moving, undefined, WINDOW)).toMatchObject({ comparedMs: 900, times: [] })
})

test('a default does not differ from a default, and a time without reported settings is not compared', () => {
  expect(replayBaseline(past('a', []), past('b', [[0, 150]]), undefined, WINDOW).times).toEqual([])
  const late = replayBaseline(past('a', [[0, 300]], 700), past('b', [[0, 150]]), undefined, WINDOW)
  expect(late).toMatchObject({ comparedMs: 300, times: [{ fromMs: 700, untilMs: 1000 }] })
  expect(replayBaseline(past('a', [[0, 300]]), past('b', [[0, 150]], 2000), undefined, WINDOW).comparedMs).toBe(0)
})

test('what changes at the end of the window is after it', () => {
  const changing = past('a', [
    [0, 200],
    [1000, 300],
  ])
  expect(replayBaseline(changing, past('b', [[0, 200]]), undefined, WINDOW).times).toEqual([])
})
