import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { deriveUpgrades } from '../../../src/fleet/derive/derive-cluster.ts'
import { recordAt } from '../../../src/fleet/past/record-at.ts'
import { knownAt, observationsOf } from '../../../sim/history/cluster-observations.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { randomOf } from '../../../sim/random.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'

const HALF_YEAR = { fromMs: Date.UTC(2026, 0, 1), untilMs: Date.UTC(2026, 6, 1) }
const CLUSTERS = 12
const MOMENTS = 4
/** What an upgrade begins with, and how far it is. */
const COUNTS = [
  ['virt-handler rolls over the nodes', ' are ready'],
  ['VMs run an outdated virt-launcher', 'VMs still run an outdated virt-launcher'],
] as const
/** A transition has its own time, which is a little before that of the report with it. */
const REPORTED_WITHIN_MS = 60_000

test('the evidence of a past moment is what was known then, and the record of it stays, while an upgrade goes on', () => {
  let compared = 0
  const counted = new Set<string>()
  const added: string[] = []
  const changed: string[] = []
  const unmarked: string[] = []
  for (let index = 0; index < CLUSTERS; index++) {
    const observations = observationsOf(planHistory({ ...HALF_YEAR, seed: 'evidence', index, mode: 'objects' }))
    const random = randomOf('moments', index)
    for (const record of deriveUpgrades(observations)) {
      const { id, startedMs = 0, endedMs = startedMs } = record.upgrade
      const recordsUntil = (ms: number): readonly UpgradeRecord[] =>
        deriveUpgrades(knownAt(observations, ms)).filter(({ upgrade }) => upgrade.id === id)
      for (let i = 0; i < MOMENTS; i++) {
        const atMs = Math.round(startedMs + random.next() * (endedMs - startedMs))
        const known = [atMs, atMs + REPORTED_WITHIN_MS].flatMap(recordsUntil)
        if (known.length === 0) continue
        const then = new Set(known.flatMap(({ upgrade }) => upgrade.evidence.map((one) => JSON.stringify(one))))
        for (const { evidence } of known.map(({ upgrade }) => upgrade)) {
          for (const { text, isReplaced = false } of evidence) {
            const count = COUNTS.find(([, end]) => text.includes(end))?.[1]
            if (isReplaced !== (count !== undefined || /^[a-z-]+: /.test(text))) unmarked.push(text)
          }
          const timeOf = (text: string): number | undefined => evidence.find((one) => one.text.includes(text))?.atMs
          for (const [start, count] of COUNTS) {
            const isOver = timeOf('no VM runs') !== undefined
            if (!isOver && (timeOf(count) ?? 0) > (timeOf(start) ?? Infinity)) counted.add(count)
          }
        }
        const past = evidenceAt(record, atMs)
        compared += past.length
        for (const one of past) if (!then.has(one)) added.push(`${id} at ${atMs}: ${one}`)
        const laterMs = Math.round(atMs + REPORTED_WITHIN_MS + random.next() ** 3 * (endedMs - startedMs))
        for (const sooner of recordsUntil(laterMs)) {
          if (sooner.detail.observedUntilMs <= atMs) continue
          const hasUnknown = sooner.upgrade.phases.some(({ state }) => state === 'unknown')
          const isWhole = record.upgrade.state === 'succeeded' && !hasUnknown
          const [before, after] = [sooner, record].map((one) => stableOf(recordAt(one, atMs), isWhole))
          if (!isDeepStrictEqual(before, after)) changed.push(`${id} at ${atMs}, known until ${laterMs}`)
        }
      }
    }
  }
  expect(compared).toBeGreaterThan(500)
  expect(added).toEqual([])
  expect(changed).toEqual([])
  // Counts and complaints.
  expect(unmarked).toEqual([])
  // A count has the time of the report that it is from.
  expect([...counted].sort()).toEqual(COUNTS.map(([, count]) => count).sort())
})

function evidenceAt(record: UpgradeRecord, atMs: number): readonly string[] {
  return recordAt(record, atMs)?.upgrade.evidence.map((one) => JSON.stringify(one)) ?? []
}

/**
 * Evidence of any upgrade, and the phases of one that succeeded and whose phases were all known: of one that failed, what did not
 * begin is unknown in the end. How exact a time is depends on the other time of the phase too.
 */
function stableOf(record: UpgradeRecord | undefined, isWhole: boolean): unknown {
  if (record === undefined) return undefined
  const { evidence, phases } = record.upgrade
  const { components, hco } = record.detail
  const stages = phases.map(({ name, state, startedMs, endedMs }) => ({ name, state, startedMs, endedMs }))
  return isWhole ? { evidence, stages, components, hco } : { evidence }
}
