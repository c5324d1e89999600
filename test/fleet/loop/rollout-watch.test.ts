import { expect, test } from 'vitest'
import { RolloutWatch } from '../../../src/fleet/loop/rollout-watch.ts'
import type { Rollout } from '../../../src/fleet/verdicts/rollouts.ts'
import { rolloutValues } from '../../../src/fleet/series/derived-rollouts.ts'
import { DERIVED_METRICS } from '../../../src/fleet/series/derived-metrics.ts'
import { UPGRADE_OPERATORS } from '../../../src/model/upgrade.ts'

const share = { count: 0, of: 10, low: 0, high: 0.3 }

function rollout(operator: Rollout['operator'], factor = 20): Rollout {
  const none = { canary: { count: 0, of: 0 }, baseline: { count: 0, of: 0 }, strata: [], counted: [] }
  return {
    ...{ operator, version: '1.17.0', clusters: 12, leftOut: 0, canariesPerDay: 1 },
    verdict: {
      ...{ decision: 'insufficient', canary: share, baseline: share, accepted: 0.1 },
      signals: [{ signal: 'failures', state: 'open', factor, needed: 100, ...none }],
    },
  }
}

test('each verdict as 0 or 1, the clusters, and the evidence as a share of what is needed', () => {
  const values = rolloutValues([rollout('kubevirt')])
  const of = (verdict: string) => ({ operator: 'kubevirt', version: '1.17.0', verdict })
  const labels = { operator: 'kubevirt', version: '1.17.0' }
  expect(values).toEqual([
    { name: 'daytwo_rollout_verdict', labels: of('proceed'), value: 0 },
    { name: 'daytwo_rollout_verdict', labels: of('hold'), value: 0 },
    { name: 'daytwo_rollout_verdict', labels: of('insufficient'), value: 1 },
    { name: 'daytwo_rollout_verdict', labels: of('not_comparable'), value: 0 },
    { name: 'daytwo_rollout_clusters', labels, value: 12 },
    { name: 'daytwo_rollout_evidence_ratio', labels: { ...labels, signal: 'failures' }, value: 0.2 },
  ])
  const known = new Map<string, readonly string[]>(DERIVED_METRICS.map((metric) => [metric.name, metric.labels]))
  for (const { name, labels: own } of values) expect(Object.keys(own)).toEqual(known.get(name))
  expect(rolloutValues([rollout('kubevirt', Infinity)]).at(-1)!.value).toBe(1e6)
})

test('waits for the first verdicts, and computes the next ones beside the cycles, every two minutes', async () => {
  let asked: string[] = []
  let release = (): void => undefined
  let wait = Promise.resolve()
  const watch = new RolloutWatch(async (operator, nowMs) => {
    asked.push(`${operator} ${nowMs}`)
    await wait
    return operator === 'kubevirt' ? [rollout(operator)] : []
  })
  expect(watch.values).toEqual([])
  await watch.advance(0)
  expect(asked).toEqual(UPGRADE_OPERATORS.map((operator) => `${operator} 0`))
  expect(watch.values).toHaveLength(6)
  asked = []
  await watch.advance(119_999)
  expect(asked).toEqual([])
  wait = new Promise((resolve) => (release = resolve))
  await watch.advance(120_000)
  // The cycle goes on with the values before.
  expect(watch.values).toHaveLength(6)
  expect(asked).toHaveLength(1)
  await watch.advance(240_000)
  expect(asked).toHaveLength(1)
  release()
  await watch.settled()
  expect(asked).toHaveLength(3)
})

test('a failure is reported once, and the values before stay', async () => {
  let isBroken = false
  const watch = new RolloutWatch((operator) =>
    isBroken ? Promise.reject(new Error('a page of the disk is gone')) : Promise.resolve([rollout(operator)]),
  )
  await watch.advance(0)
  isBroken = true
  await watch.advance(120_000)
  await watch.settled()
  await expect(watch.advance(130_000)).rejects.toThrow('a page of the disk')
  await watch.advance(140_000)
  expect(watch.values).toHaveLength(18)
})
