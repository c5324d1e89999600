import fc from 'fast-check'
import { expect, test } from 'vitest'
import { criticalPath, pathNsBySpan, type PathPiece } from '../../../src/web/lib/critical-path.ts'
import { anySpans, traceOf, type SampleSpan } from './trace-samples.ts'

/** As `name from-to` in milliseconds; `-` is nobody. */
function drawn(spans: readonly SampleSpan[]): readonly string[] {
  const trace = traceOf(spans)
  return criticalPath(trace).map(
    ({ span, fromNs, toNs }) => `${trace.spans[span]?.name ?? '-'} ${fromNs / 1e6}-${toNs / 1e6}`,
  )
}

const ROOT = { id: 'root', from: 0, to: 100 }

test.each<readonly [string, readonly SampleSpan[], readonly string[]]>([
  ['one span', [ROOT], ['root 0-100']],
  [
    'one after another, with time between',
    [ROOT, { id: 'a', parent: 'root', from: 10, to: 40 }, { id: 'b', parent: 'root', from: 50, to: 90 }],
    ['root 0-10', 'a 10-40', 'root 40-50', 'b 50-90', 'root 90-100'],
  ],
  [
    'side by side: the one that ended last keeps its time',
    [ROOT, { id: 'long', parent: 'root', from: 20, to: 100 }, { id: 'short', parent: 'root', from: 0, to: 60 }],
    ['short 0-20', 'long 20-100'],
  ],
  [
    'down to the leaf',
    [ROOT, { id: 'a', parent: 'root', from: 0, to: 100 }, { id: 'leaf', parent: 'a', from: 30, to: 80 }],
    ['a 0-30', 'leaf 30-80', 'a 80-100'],
  ],
  [
    'work that was left behind after its parent ended',
    [ROOT, { id: 'later', parent: 'root', from: 120, to: 150 }],
    ['root 0-100', '- 100-120', 'later 120-150'],
  ],
  ['two roots with a gap', [ROOT, { id: 'second', from: 130, to: 140 }], ['root 0-100', '- 100-130', 'second 130-140']],
  [
    'a child that began before its parent',
    [
      { id: 'parent', from: 20, to: 50 },
      { id: 'early', parent: 'parent', from: 0, to: 30 },
    ],
    ['early 0-30', 'parent 30-50'],
  ],
])('%s', (_title, spans, want) => {
  expect(drawn(spans)).toEqual(want)
})

test('a chain as long as a trace may be is walked without recursion', () => {
  const chain = Array.from({ length: 5000 }, (_one, i): SampleSpan => {
    return { id: `s${i}`, ...(i === 0 ? {} : { parent: `s${i - 1}` }), from: i, to: 10_000 - i }
  })
  const trace = traceOf(chain)
  const path = criticalPath(trace)
  expect(trace.spans[path[5000 - 1]!.span]?.name).toBe('s4999')
})

test('covers the trace once from end to end, by spans that ran then', () => {
  fc.assert(
    fc.property(anySpans, (spans) => {
      const trace = traceOf(spans)
      const path = criticalPath(trace)
      expect(path.map(({ fromNs }) => fromNs)).toEqual([0, ...path.map(({ toNs }) => toNs)].slice(0, path.length))
      expect(path.at(-1)?.toNs ?? 0).toBe(trace.durationNs)
      expect([...pathNsBySpan(path).values()].reduce((sum, ns) => sum + ns, 0)).toBe(trace.durationNs)
      const ran = ({ span, fromNs, toNs }: PathPiece): boolean => {
        const one = trace.spans[span]
        return one === undefined || (one.fromNs <= fromNs && one.toNs >= toNs)
      }
      expect(path.filter((piece) => piece.toNs <= piece.fromNs || !ran(piece))).toEqual([])
    }),
  )
})

test('a moment is told to nobody only when nothing ran', () => {
  fc.assert(
    fc.property(anySpans, (spans) => {
      const trace = traceOf(spans.map(({ id, from, to }) => ({ id, from, to })))
      const gaps = criticalPath(trace).filter(({ span }) => span === -1)
      // A span without duration fills no time.
      const ran = trace.spans.filter(({ fromNs, toNs }) => toNs > fromNs)
      expect(gaps.filter((gap) => ran.some((one) => one.fromNs < gap.toNs && one.toNs > gap.fromNs))).toEqual([])
    }),
  )
})
