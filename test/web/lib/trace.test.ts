import fc from 'fast-check'
import { expect, test } from 'vitest'
import { otlpAt, otlpText } from '../../../src/web/lib/otlp-json.ts'
import { traceOfOtlp } from '../../../src/web/lib/trace.ts'
import { START_MS, otlpOf, traceOf, type SampleSpan } from './trace-samples.ts'

test('spans stand below their parents by start, with times relative to the first', () => {
  const trace = traceOf([
    { id: 'late', parent: 'root', from: 60, to: 70 },
    { id: 'root', from: 0, to: 100 },
    { id: 'early', parent: 'root', from: 10, to: 20, error: 'conflict' },
    { id: 'below', parent: 'early', from: 12, to: 15 },
  ])
  expect(trace.spans.map(({ name, depth, parent, below }) => [name, depth, parent, below])).toEqual([
    ['root', 0, -1, 3],
    ['early', 1, 0, 1],
    ['below', 2, 1, 0],
    ['late', 1, 0, 0],
  ])
  expect(trace).toMatchObject({ startMs: START_MS, durationNs: 100e6 })
  expect(trace.spans[1]).toMatchObject({ fromNs: 10e6, toNs: 20e6, isError: true, statusText: 'conflict' })
})

test('an orphan, a span that is its own parent and a ring are shown all the same', () => {
  const trace = traceOf([
    { id: 'orphan', parent: 'lost', from: 5, to: 6 },
    { id: 'self', parent: 'self', from: 7, to: 8 },
    { id: 'ring-1', parent: 'ring-2', from: 1, to: 2 },
    { id: 'ring-2', parent: 'ring-1', from: 2, to: 3 },
  ])
  expect(trace.spans.map(({ name, parent, isOrphan }) => [name, parent, isOrphan])).toEqual([
    ['orphan', -1, true],
    ['self', -1, true],
    ['ring-1', -1, true],
    ['ring-2', 2, false],
  ])
})

test('no span is no trace; a span that ends before it began takes no time', () => {
  expect(traceOfOtlp([])).toBeUndefined()
  expect(traceOf([{ id: 'a', from: 9, to: 3 }])).toMatchObject({ durationNs: 0 })
})

test('values of any kind are text', () => {
  expect(otlpText({ intValue: '9007199254740993' })).toBe('9007199254740993')
  expect(otlpText({ boolValue: false })).toBe('false')
  expect(otlpText({ arrayValue: { values: [{ stringValue: 'a' }, { intValue: '1' }] } })).toBe('["a","1"]')
  expect(otlpText({ kvlistValue: { values: [{ key: 'k', value: { doubleValue: 0.5 } }] } })).toBe('{"k":0.5}')
  expect(otlpText(undefined)).toBe('')
})

test('at a moment: what had begun, and no end that nobody knew', () => {
  const spans = otlpOf(
    [
      {
        id: 'root',
        from: 0,
        to: 100,
        error: 'failed',
        events: [
          { at: 10, name: 'seen' },
          { at: 90, name: 'later' },
        ],
      },
      { id: 'done', parent: 'root', from: 5, to: 40, error: 'known' },
      { id: 'next', parent: 'root', from: 60, to: 100 },
    ],
    'b'.repeat(32),
  )
  const trace = traceOfOtlp(otlpAt(spans, START_MS + 50))!
  expect(trace.durationNs).toBe(50e6)
  expect(trace.spans.map(({ name, isError, events }) => [name, isError, events.length])).toEqual([
    ['root', false, 1],
    ['done', true, 0],
  ])
})

const anySpans = fc
  .array(fc.record({ parent: fc.option(fc.nat(40)), from: fc.nat(1000), takes: fc.nat(500) }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((rows) =>
    rows.map(({ parent, from, takes }, i): SampleSpan => {
      return { id: `s${i}`, ...(parent === null ? {} : { parent: `s${parent}` }), from, to: from + takes }
    }),
  )

test('each span stands once, below its parent, before its siblings that began later', () => {
  fc.assert(
    fc.property(anySpans, (spans) => {
      const { spans: drawn } = traceOf(spans)
      expect(new Set(drawn.map(({ spanId }) => spanId)).size).toBe(spans.length)
      const wrong = drawn.filter(({ parent, depth }, at) => {
        const above = drawn[parent]
        return above === undefined
          ? depth !== 0
          : parent >= at || depth !== above.depth + 1 || at > parent + above.below
      })
      expect(wrong).toEqual([])
    }),
  )
})
