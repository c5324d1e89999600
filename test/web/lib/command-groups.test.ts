import { expect, test } from 'vitest'
import { searchWord, shownGroups } from '../../../src/web/lib/command-groups.ts'

const labelled = (...labels: readonly string[]) => labels.map((label) => ({ label }))
const GROUPS = [
  { title: 'Pages', commands: labelled('Now', 'Fleet', 'Adoption') },
  { title: 'Clusters', commands: labelled('fleet-1', 'fleet-2', 'prague-prod-1'), total: 42 },
  { title: 'Metrics', commands: labelled('kubevirt_fleet_total') },
]
const shown = (typed: string): string[] =>
  shownGroups(GROUPS, typed, 2).map(({ title, shown: found, count }) => `${title} ${found.length} of ${count}`)

test.each([
  ['', ['Pages 2 of 3', 'Clusters 2 of 42', 'Metrics 1 of 1']],
  ['fleet', ['Pages 1 of 1', 'Clusters 2 of 42', 'Metrics 1 of 1']],
  // The best match is in the last group.
  ['kubevirt', ['Metrics 1 of 1']],
  ['prod prague', ['Clusters 1 of 42']],
  ['nothing', []],
])('%j shows %j', (typed, want) => {
  expect(shown(typed)).toEqual(want)
})

test('the group with the best match comes first', () => {
  expect(shown('pr')[0]).toMatch(/^Clusters/)
  expect(
    shownGroups(
      [{ title: 'A', commands: labelled('xpod') }, ...GROUPS, { title: 'B', commands: labelled('pod') }],
      'pod',
      2,
    )[0]?.title,
  ).toBe('B')
})

test('what can always be done with what is typed comes last, though nothing matches better', () => {
  const ask = { title: 'Ask', commands: labelled('Query stuck'), isLast: true }
  const alerts = { title: 'Alerts', commands: labelled('DaytwoUpgradeStuck') }
  expect(shownGroups([ask, alerts], 'stuck', 2).map(({ title }) => title)).toEqual(['Alerts', 'Ask'])
  expect(shownGroups([ask, alerts], 'query stuck', 2).map(({ title }) => title)).toEqual(['Ask'])
})

test.each([
  ['prod prague', 'prague'],
  ['  ', ''],
  ['one', 'one'],
])('of %j the server is asked for %j', (typed, want) => {
  expect(searchWord(typed)).toBe(want)
})
