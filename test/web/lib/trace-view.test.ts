import { searchOf } from '../../../src/web/lib/address.ts'
import { expect, test } from 'vitest'
import { criticalPath, pathNsBySpan } from '../../../src/web/lib/critical-path.ts'
import { formatDifferenceNs, formatSpanNs } from '../../../src/web/lib/format-time.ts'
import { phaseLanes, spanWords, tracedUpgrade } from '../../../src/web/lib/trace-phases.ts'
import { nextPlace, openedSpan, shownSpans, spanHas, toggledSpan, TRACE_VIEW } from '../../../src/web/lib/trace-view.ts'
import { traceOf } from './trace-samples.ts'

const TRACE = traceOf(
  [
    {
      id: 'r',
      name: 'upgrade kubevirt-hyperconverged',
      from: 0,
      to: 1000,
      says: { 'upgrade.to.version': '1.17.0', 'upgrade.from.version': '1.16.0', 'deployment.id': 'uid' },
    },
    { id: 'o', parent: 'r', name: 'olm.csv.installing', from: 0, to: 300 },
    { id: 'h', parent: 'r', name: 'hco.reconcile', from: 200, to: 900 },
    { id: 'c', parent: 'h', name: 'component.upgrade', from: 200, to: 800, says: { 'component.name': 'kubevirt' } },
    {
      id: 'd',
      parent: 'h',
      name: 'component.upgrade',
      from: 250,
      to: 400,
      says: { 'component.name': 'cdi' },
      error: 'no',
    },
  ],
  { 'service.name': 'hyperconverged-cluster-operator', 'k8s.cluster.name': 'prague' },
)
const WHOLE = TRACE_VIEW.parse('')

test.each(['', 'span=c&q=cdi&zoom=0.1-0.5', 'show=table&closed=h%2Co', 'than=abc'])(
  'the view %j is its address',
  (search) => {
    const view = TRACE_VIEW.parse(search)
    const written = searchOf(TRACE_VIEW.searchOf(view))
    expect(TRACE_VIEW.parse(written)).toEqual(view)
    expect(new Set(new URLSearchParams(written).keys())).toEqual(new Set(new URLSearchParams(search).keys()))
  },
)

test.each(['zoom=0.9-0.1', 'zoom=-1-2', 'zoom=a-b', 'zoom=0-7', 'show=flame'])('%j is left out', (search) => {
  expect(TRACE_VIEW.parse(search)).toEqual(WHOLE)
})

test('a closed span hides what is below it, and opening one of those opens it', () => {
  const closed = toggledSpan(WHOLE, 'h')
  expect(shownSpans(TRACE, closed)).toEqual([0, 1, 2])
  expect(openedSpan(TRACE, closed, 3)).toEqual({ ...WHOLE, span: 'c' })
  expect(toggledSpan(closed, 'h')).toEqual(WHOLE)
})

test('only what ran in the part that is looked at', () => {
  const late = { ...WHOLE, zoom: [0.85, 1] as const }
  expect(shownSpans(TRACE, late)).toEqual([0, 2])
  expect(openedSpan(TRACE, late, 1)).toMatchObject({ zoom: [0, 1], span: 'o' })
})

test('searching looks at names, services, attributes and errors', () => {
  const found = (text: string): readonly string[] =>
    TRACE.spans.filter((span) => spanHas(span, text)).map(({ spanId }) => spanId)
  expect(found('component.name=CDI')).toEqual(['d'])
  expect(found('hyperconverged-cluster')).toHaveLength(5)
  expect(found('nothing such')).toEqual([])
})

test('the next place goes round, and is none where nothing holds', () => {
  const holds = (place: number): boolean => place === 1 || place === 3
  expect([undefined, 1, 3].map((at) => nextPlace(5, at, 1, holds))).toEqual([1, 3, 1])
  expect([undefined, 1, 3].map((at) => nextPlace(5, at, -1, holds))).toEqual([3, 3, 1])
  expect(nextPlace(5, 2, 1, () => false)).toBeUndefined()
})

test('an upgrade is told by its root, and its phases in the order of the conventions', () => {
  expect(tracedUpgrade(TRACE)).toEqual({
    cluster: 'prague',
    operator: 'kubevirt-hyperconverged',
    from: '1.16.0',
    to: '1.17.0',
    id: TRACE.traceId,
    isProvisional: false,
  })
  const lanes = phaseLanes(TRACE, pathNsBySpan(criticalPath(TRACE)))
  expect(lanes.map(({ text, ranNs, pathNs }) => [text, ranNs / 1e6, pathNs / 1e6])).toEqual([
    ['install: operators starting', 300, 200],
    ['components', 700, 100],
    ['component cdi', 150, 0],
    ['component kubevirt', 600, 600],
  ])
  expect(spanWords(TRACE.spans[3]!)).toBe('component kubevirt')
  expect(tracedUpgrade(traceOf([{ id: 'a', from: 0, to: 1 }]))).toBeUndefined()
})

test.each([
  [0, '0 ns'],
  [340, '340 ns'],
  [12_400, '12.4 µs'],
  [512e6, '512 ms'],
  [3.21e9, '3.21 s'],
  [42e9, '42 s'],
  [245e9, '4 min 05 s'],
  [90_000e9, '1 d 1 h'],
])('%d ns is %s', (ns, want) => {
  expect(formatSpanNs(ns)).toBe(want)
  expect(formatDifferenceNs(-ns - 1e-9).startsWith('-')).toBe(true)
})
