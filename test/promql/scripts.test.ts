import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeFailure, runScript, tally, type CaseOutcome } from './script.ts'

const OWN = join(import.meta.dirname, 'scripts')
const UPSTREAM = resolve(import.meta.dirname, '../../../shared/promqltest')

const scriptsIn = (folder: string): string[] => readdirSync(folder).filter((file) => file.endsWith('.test'))

const failuresOf = (file: string, outcomes: readonly CaseOutcome[]): string[] =>
  outcomes.filter(({ status }) => status === 'failed').map((outcome) => describeFailure(file, outcome))

test.each(scriptsIn(OWN))('%s says what the language means', async (file) => {
  const outcomes = await runScript(readFileSync(join(OWN, file), 'utf8'))
  expect(failuresOf(file, outcomes)).toEqual([])
  expect(outcomes.every(({ status }) => status === 'passed')).toBe(true)
})

/** How many cases of each upstream script pass at least. */
const FLOOR: Readonly<Record<string, number>> = {
  'aggregators.test': 160,
  'duration_expression.test': 59,
  'functions.test': 431,
  'histograms.test': 185,
  'literals.test': 25,
  'native_histograms.test': 522,
  'operators.test': 214,
  'selectors.test': 31,
  'staleness.test': 17,
  'subquery.test': 34,
}

// Upstream's scripts are not part of the project; where they stand beside it, they run.
describe.skipIf(!existsSync(UPSTREAM))('upstream scripts (skipped where they are not beside the project)', () => {
  test.each(Object.keys(FLOOR))('%s', async (file) => {
    const outcomes = await runScript(readFileSync(join(UPSTREAM, file), 'utf8'))
    const counts = tally(outcomes)
    const skipped = `${counts['start timestamps']} start timestamps`
    process.stdout.write(`${file}: ${counts.passed} passed, ${counts.failed} failed, skipped: ${skipped}\n`)
    expect(failuresOf(file, outcomes)).toEqual([])
    expect(counts.passed).toBeGreaterThanOrEqual(FLOOR[file]!)
  })
})

test('a wrong expectation in a script is found', async () => {
  const load = 'load 1m\n  m{k="a"} 1 2\n  m{k="b"} 3 4\n'
  const outcomes = await runScript(`${load}
eval instant at 0 m
  m{k="a"} 1
eval instant at 0 m
  m{k="a"} 1
  m{k="b"} 4
eval instant at 0 m
  m{k="a"} 1
  m{k="c"} 3
eval instant at 0 sort_desc(m)
  expect ordered
  m{k="a"} 1
  m{k="b"} 3
eval instant at 0 m
  expect fail
eval instant at 0 m +
  m{k="a"} 1
eval instant at 0 rate(m[1m])
  expect info
eval range from 0 to 2m step 1m sum(m)
  {} 4 6
eval instant at 0 1
  2
eval instant at 0 start_timestamp(m)
`)
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 9 }, () => 'failed'),
    'start timestamps',
  ])
})
