import fc from 'fast-check'
import { expect, test } from 'vitest'
import { largestDiffs, NOBODY_KEY, traceDiff } from '../../../src/web/lib/trace-diff.ts'
import type { Trace } from '../../../src/web/lib/trace.ts'
import { anySpans, traceOf, type SampleSpan } from './trace-samples.ts'

/** As `below/name#occurrence here-there path difference` in milliseconds; `none` where a trace has no such span. */
function drawn(here: readonly SampleSpan[], there: readonly SampleSpan[]): readonly string[] {
  return traceDiff(traceOf(here), traceOf(there)).rows.map((row) => {
    const [a, b] = [
      row.here === undefined ? 'none' : row.hereNs / 1e6,
      row.there === undefined ? 'none' : row.thereNs / 1e6,
    ]
    return `${row.below}/${row.text}#${row.occurrence} ${a} ${b} ${row.pathDifferenceNs / 1e6}`
  })
}

const ROOT = { id: 'root', from: 0, to: 100 }
const step = (id: string, name: string, from: number, to: number, parent = 'root'): SampleSpan => {
  return { id, name, parent, from, to }
}

test.each<readonly [string, readonly SampleSpan[], readonly SampleSpan[], readonly string[]]>([
  [
    'the step that took longer stands first, and nothing else changed',
    [{ ...ROOT, to: 160 }, step('a', 'pull', 0, 40), step('b', 'start', 40, 150)],
    [ROOT, step('x', 'pull', 0, 40), step('y', 'start', 40, 90)],
    ['root/start#1 110 50 60', '/root#1 160 100 0', 'root/pull#1 40 40 0'],
  ],
  [
    'a step of one trace alone',
    [{ ...ROOT, to: 130 }, step('a', 'retry', 0, 30), step('b', 'pull', 30, 130)],
    [ROOT, step('b', 'pull', 0, 100)],
    ['root/retry#1 30 none 30', '/root#1 130 100 0', 'root/pull#1 100 100 0'],
  ],
  [
    'steps of one name are told apart by their order',
    [ROOT, step('a', 'wave', 0, 20), step('b', 'wave', 20, 100)],
    [{ ...ROOT, to: 40 }, step('b', 'wave', 20, 40), step('a', 'wave', 0, 20)],
    ['root/wave#2 80 20 60', '/root#1 100 40 0', 'root/wave#1 20 20 0'],
  ],
  [
    'one name below two parents is two steps',
    [ROOT, step('a', 'kubevirt', 0, 50), step('b', 'pull', 0, 50, 'a'), step('c', 'cdi', 50, 100)],
    [ROOT, step('a', 'kubevirt', 0, 50), step('c', 'cdi', 50, 100), step('b', 'pull', 50, 100, 'c')],
    [
      'kubevirt/pull#1 50 none 50',
      'cdi/pull#1 none 50 -50',
      // What is below a step answers for its time instead of it.
      'root/kubevirt#1 50 50 -50',
      'root/cdi#1 50 50 50',
      '/root#1 100 100 0',
    ],
  ],
  [
    'longer beside the critical path changes nothing of the whole',
    [ROOT, step('a', 'long', 0, 100), step('b', 'short', 0, 90)],
    [ROOT, step('a', 'long', 0, 100), step('b', 'short', 0, 10)],
    ['root/short#1 90 10 0', '/root#1 100 100 0', 'root/long#1 100 100 0'],
  ],
  [
    'time between roots is told as such',
    [ROOT, { id: 'later', from: 150, to: 160 }],
    [ROOT, { id: 'later', from: 100, to: 110 }],
    ['/between spans#1 none none 50', '/root#1 100 100 0', '/later#1 10 10 0'],
  ],
])('%s', (_title, here, there, want) => {
  expect(drawn(here, there)).toEqual(want)
})

test('phases are summed over their spans, and one of the other trace alone keeps its place', () => {
  const operand = (name: string): Pick<SampleSpan, 'says'> => ({ says: { 'component.name': name } })
  const here = traceOf([
    { ...ROOT, name: 'upgrade kubevirt-hyperconverged' },
    step('a', 'olm.csv.pending', 0, 10),
    { ...step('c', 'component.upgrade', 10, 100), ...operand('kubevirt') },
  ])
  const there = traceOf([
    { ...ROOT, name: 'upgrade kubevirt-hyperconverged', to: 60 },
    step('a', 'olm.csv.pending', 0, 10),
    step('b', 'olm.csv.installing', 10, 40),
    { ...step('c', 'component.upgrade', 40, 60), ...operand('kubevirt') },
  ])
  expect(
    traceDiff(here, there).phases.map(({ text, hereNs, thereNs, isIn }) => [text, hereNs / 1e6, thereNs / 1e6, isIn]),
  ).toEqual([
    ['install: requirements', 10, 10, 'both'],
    ['install: operators starting', 0, 30, 'there'],
    ['component kubevirt', 90, 20, 'both'],
  ])
})

const anyTrace = anySpans.map((spans): Trace => traceOf(spans.map((one, i) => ({ ...one, name: `step ${i % 4}` }))))

test('what the rows add on the critical path sums to the whole difference, and each span has one row', () => {
  fc.assert(
    fc.property(anyTrace, anyTrace, (here, there) => {
      const { rows, differenceNs } = traceDiff(here, there)
      expect(differenceNs).toBe(here.durationNs - there.durationNs)
      expect(rows.reduce((sum, row) => sum + row.pathDifferenceNs, 0)).toBe(differenceNs)
      const sorted = (places: readonly (number | undefined)[]): readonly number[] =>
        places.flatMap((place) => place ?? []).sort((a, b) => a - b)
      expect(sorted(rows.map((row) => row.here))).toEqual([...here.spans.keys()])
      expect(sorted(rows.map((row) => row.there))).toEqual([...there.spans.keys()])
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
      const { shown, restNs } = largestDiffs(rows, 3)
      expect(shown.reduce((sum, row) => sum + row.pathDifferenceNs, restNs)).toBe(differenceNs)
    }),
  )
})

test('turned round, each row says the opposite; a trace beside itself differs nowhere', () => {
  fc.assert(
    fc.property(anyTrace, anyTrace, (here, there) => {
      const told = (one: Trace, other: Trace, sign: 1 | -1): readonly string[] =>
        traceDiff(one, other)
          .rows.filter(({ key }) => key !== NOBODY_KEY)
          .map((row) => `${row.below}/${row.text}#${row.occurrence} ${sign * row.pathDifferenceNs + 0}`)
          .sort()
      expect(told(here, there, 1)).toEqual(told(there, here, -1))
      const same = traceDiff(here, here)
      expect(same.rows.filter((row) => row.pathDifferenceNs !== 0 || row.hereNs !== row.thereNs)).toEqual([])
    }),
  )
})

test('a deep chain is named without a text as long as it is deep', () => {
  const chain = Array.from({ length: 1500 }, (_one, i): SampleSpan => {
    return { id: `s${i}`, name: 'call', ...(i === 0 ? {} : { parent: `s${i - 1}` }), from: i, to: 10_000 - i }
  })
  const { rows } = traceDiff(traceOf(chain), traceOf(chain.slice(0, 1499)))
  expect(rows.filter(({ there }) => there === undefined)).toHaveLength(1)
})
