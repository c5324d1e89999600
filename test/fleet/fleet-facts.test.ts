import { expect, test } from 'vitest'
import { createFleetFacts } from '../../src/fleet/fleet-facts.ts'
import { DEFAULT_FLEET_OPTIONS } from '../../src/fleet/options.ts'
import { NOW_MS, fleetOf, up } from './fleet-script.ts'

function factsOf(alerts: () => Promise<readonly never[]>) {
  return createFleetFacts(fleetOf([up('a', [30])]).reader, alerts, DEFAULT_FLEET_OPTIONS)
}

test('those who ask at the same time get one answer; later ones a new one', async () => {
  let derived = 0
  const facts = factsOf(() => {
    derived++
    return Promise.resolve([])
  })
  const [first, second] = await Promise.all([facts.now(NOW_MS), facts.now(NOW_MS + 100)])
  expect(second).toBe(first)
  expect(await facts.now(NOW_MS + 1999)).toBe(first)
  expect((await facts.now(NOW_MS + 2000)).asOfMs).toBe(NOW_MS + 2000)
  expect(derived).toBe(2)
})

test('a failure is told and not kept', async () => {
  let attempts = 0
  const facts = factsOf(() => (attempts++ === 0 ? Promise.reject(new Error('not now')) : Promise.resolve([])))
  await expect(facts.now(NOW_MS)).rejects.toThrow('not now')
  expect((await facts.now(NOW_MS)).clusters.total).toBe(1)
})
