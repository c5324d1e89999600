import { searchOf } from '../../../src/web/lib/address.ts'
import { expect, test } from 'vitest'
import { questionOfTraceSearch, tracesOfOtlp, TRACE_SEARCH } from '../../../src/web/lib/trace-search.ts'
import { otlpOf, START_MS } from './trace-samples.ts'

test.each([
  '',
  'service=operator&tags=a%3Db+c%3Dd&range=7d&errors=true',
  'cluster=ams-1&min=1m&max=2h&operation=list',
  'compare=a%2Cb',
])('the search %j is its address', (search) => {
  const asked = TRACE_SEARCH.parse(search)
  const written = searchOf(TRACE_SEARCH.searchOf(asked))
  expect(TRACE_SEARCH.parse(written)).toEqual(asked)
  expect([...new URLSearchParams(written)]).toHaveLength([...new URLSearchParams(search)].length)
})

test('is asked with all that must hold on one span, in its range', () => {
  const asked = TRACE_SEARCH.parse(
    'cluster=ams-1&tags=upgrade.to.version%3D1.18.1+junk+=none&errors=true&range=1h&min=1m',
  )
  expect(questionOfTraceSearch(asked, START_MS)).toMatchObject({
    'query.attributes': '{"upgrade.to.version":"1.18.1","k8s.cluster.name":"ams-1","error":"true"}',
    'query.startTimeMin': '2026-11-22T02:00:00.000Z',
    'query.startTimeMax': '2026-11-22T03:00:00.000Z',
    'query.durationMin': '1m',
    'query.serviceName': '',
  })
  expect(questionOfTraceSearch(TRACE_SEARCH.parse('range=never'), START_MS)['query.attributes']).toBe('')
})

test('traces of one answer are told apart, the newest first', () => {
  const [older, newer] = ['a'.repeat(32), 'b'.repeat(32)] as const
  const found = tracesOfOtlp([
    ...otlpOf(
      [
        { id: '1', from: 0, to: 10 },
        { id: '2', parent: '1', from: 2, to: 4 },
      ],
      older,
    ),
    ...otlpOf([{ id: '3', from: 50, to: 60 }], newer),
  ])
  expect(found.map(({ traceId, spans }) => [traceId, spans.length])).toEqual([
    [newer, 1],
    [older, 2],
  ])
  expect(tracesOfOtlp([])).toEqual([])
})
