import { expect, test } from 'vitest'
import { deriveUpgrades } from '../../../src/fleet/derive/derive-cluster.ts'
import { recordAt } from '../../../src/fleet/past/record-at.ts'
import { knownAt, observationsOf } from '../../../sim/history/cluster-observations.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { randomOf } from '../../../sim/random.ts'

const HALF_YEAR = { fromMs: Date.UTC(2026, 0, 1), untilMs: Date.UTC(2026, 6, 1) }
const CLUSTERS = 12
const MOMENTS = 6
/** What an upgrade begins with, and how far it is. */
const COUNTS = [
  ['virt-handler rolls over the nodes', ' are ready'],
  ['VMs run an outdated virt-launcher', 'VMs still run an outdated virt-launcher'],
] as const
/** A transition has its own time, which is a little before that of the report with it. */
const REPORTED_WITHIN_MS = 60_000

test('the evidence of a past moment is what was known then, while an upgrade goes on', () => {
  let compared = 0
  const counted = new Set<string>()
  const added: string[] = []
  for (let index = 0; index < CLUSTERS; index++) {
    const observations = observationsOf(planHistory({ ...HALF_YEAR, seed: 'evidence', index, mode: 'objects' }))
    const random = randomOf('moments', index)
    for (const record of deriveUpgrades(observations)) {
      const { id, startedMs = 0, endedMs = startedMs } = record.upgrade
      for (let i = 0; i < MOMENTS; i++) {
        const atMs = Math.round(startedMs + random.next() * (endedMs - startedMs))
        const known = [atMs, atMs + REPORTED_WITHIN_MS].flatMap((ms) =>
          deriveUpgrades(knownAt(observations, ms)).filter(({ upgrade }) => upgrade.id === id),
        )
        if (known.length === 0) continue
        const then = new Set(known.flatMap(({ upgrade }) => upgrade.evidence.map((one) => JSON.stringify(one))))
        for (const { evidence } of known.map(({ upgrade }) => upgrade)) {
          const timeOf = (text: string): number | undefined => evidence.find((one) => one.text.includes(text))?.atMs
          for (const [start, count] of COUNTS) {
            const isOver = timeOf('no VM runs') !== undefined
            if (!isOver && (timeOf(count) ?? 0) > (timeOf(start) ?? Infinity)) counted.add(count)
          }
        }
        const past = recordAt(record, atMs)?.upgrade.evidence ?? []
        compared += past.length
        for (const one of past)
          if (!then.has(JSON.stringify(one))) added.push(`${id} at ${atMs}: ${JSON.stringify(one)}`)
      }
    }
  }
  expect(compared).toBeGreaterThan(500)
  expect(added).toEqual([])
  // A count has the time of the report that it is from.
  expect([...counted].sort()).toEqual(COUNTS.map(([, count]) => count).sort())
})
