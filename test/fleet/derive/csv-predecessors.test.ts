import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ObjectHistory, bornMs, hcoCsvs } from '../../../src/fleet/derive/cluster-history.ts'
import { csvPredecessors } from '../../../src/fleet/derive/csv-predecessors.ts'
import type { CsvFacts } from '../../../src/model/object-facts.ts'
import { csv, at } from './observed.ts'
import { csvNameOf, historyOf, objectsOf, version } from './random-objects.ts'

const csvs = objectsOf(
  fc
    .record({
      own: version,
      phase: fc.constantFrom('Succeeded', 'Installing', 'Replacing', 'Deleting'),
      replaces: fc.option(version, { nil: undefined }),
      changedMs: fc.nat(9).map((minute) => at(minute * 60)),
    })
    .map(({ own, phase, replaces, changedMs }) =>
      csv(own, {
        phase,
        lastTransitionMs: changedMs,
        ...(replaces === undefined ? {} : { replaces: csvNameOf(replaces) }),
      }),
    ),
  (facts) => csvNameOf(facts.version),
)

type Csv = ObjectHistory<CsvFacts>

/** By a walk over all CSVs. */
function predecessor(own: Csv, all: readonly Csv[]): Csv | undefined {
  const { replaces } = own.states.at(-1)!.facts
  const others = all.filter((other) => {
    if (other.uid === own.uid || (other.gone !== undefined && other.gone.atMs < bornMs(own))) return false
    return bornMs(other) < bornMs(own) || (bornMs(other) === bornMs(own) && other.name === replaces)
  })
  const isLeaving = ({ states }: Csv) =>
    states.some(({ facts }) => facts.phase === 'Replacing' || facts.phase === 'Deleting')
  return others.findLast(({ name }) => name === replaces) ?? others.findLast(isLeaving) ?? others.at(-1)
}

test('the CSV that each CSV replaces is that of a walk over all, also of those that are created at once or again', () => {
  fc.assert(
    fc.property(csvs, csvs, (some, others) => {
      const again = others.map((object) => ({ ...object, uid: `again-${object.uid}` }))
      const all = hcoCsvs(historyOf(some, again))
      const found = csvPredecessors(all)
      for (const own of all) expect(found.get(own)?.csv).toBe(predecessor(own, all))
    }),
    { numRuns: 500 },
  )
})

test('a predecessor has run when it succeeded', () => {
  const history = historyOf(
    ['Installing', 'Succeeded', 'Pending'].map((phase, i) => ({
      ...objectOf(i, csv(`1.${i}.0`, { phase, lastTransitionMs: at(i * 60), createdMs: at(i * 60) })),
    })),
  )
  const all = hcoCsvs(history)
  const found = csvPredecessors(all)
  expect(all.map((own) => found.get(own)).map((one) => one && [one.version, one.hasRun])).toEqual([
    undefined,
    ['1.0.0', false],
    ['1.1.0', true],
  ])
})

function objectOf(i: number, facts: CsvFacts) {
  return {
    ...{
      cluster: 'c-1',
      uid: `u-${i}`,
      name: csvNameOf(facts.version),
      namespace: 'n',
      resourceVersion: String(i + 1),
    },
    ...{ change: 'modified' as const, observedMs: at(i * 60), facts },
  }
}
