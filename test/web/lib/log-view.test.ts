import { expect, test } from 'vitest'
import type { ObjectChangeItem } from '../../../src/contract/fleet-changes.ts'
import { searchOf } from '../../../src/web/lib/address.ts'
import { applyLogView, choicesOf, bodyText, severityWord, LOG_VIEW } from '../../../src/web/lib/log-view.ts'

const change = (kind: string, namespace: string, name: string): ObjectChangeItem => ({
  at: '2026-08-20T10:00:00.000Z',
  kind,
  namespace,
  name,
  uid: name,
  resourceVersion: '1',
  change: 'modified',
  manager: kind === 'cdis' ? { name: 'kubectl-edit', operation: 'Update', subresource: '' } : null,
  isFirst: false,
  fields: [],
})
const CHANGES = [change('nodes', '', 'worker-1'), change('cdis', 'kubevirt', 'cdi'), change('nodes', '', 'worker-2')]

test.each([
  ['', ''],
  ['source=records&cluster=a&service=x&severity=warn&q=b', 'source=records&cluster=a&service=x&severity=warn&q=b'],
  ['source=nonsense&severity=loud&kind=nodes&by=olm', 'kind=nodes&by=olm'],
])('the address %j is written as %j', (search, want) => {
  expect(searchOf(LOG_VIEW.searchOf(LOG_VIEW.parse(search)))).toBe(want)
})

test.each([
  ['', ['worker-1', 'cdi', 'worker-2']],
  ['kind=nodes', ['worker-1', 'worker-2']],
  ['q=KUBEVIRT/c', ['cdi']],
  ['kind=nodes&q=2', ['worker-2']],
  ['by=kubectl-edit', ['cdi']],
])('the address %j shows %j', (search, want) => {
  expect(applyLogView(CHANGES, LOG_VIEW.parse(search)).map(({ name }) => name)).toEqual(want)
})

test('counts what there is to choose, and last what is not told', () => {
  expect(choicesOf(CHANGES, ({ kind }) => kind)).toEqual([
    { value: 'cdis', count: 1 },
    { value: 'nodes', count: 2 },
  ])
  expect(choicesOf(CHANGES, ({ manager }) => manager?.name ?? null)).toEqual([
    { value: 'kubectl-edit', count: 1 },
    { value: null, count: 2 },
  ])
})

test.each([
  [0, ''],
  [1, 'trace'],
  [4, 'trace'],
  [9, 'info'],
  [16, 'warn'],
  [17, 'error'],
  [24, 'fatal'],
  [99, 'fatal'],
])('severity %i is %j', (severity, want) => {
  expect(severityWord(severity)).toBe(want)
})

test.each([
  ['text', 'text'],
  [null, ''],
  [{ a: 1 }, '{"a":1}'],
])('the body %j is written %j', (body, want) => {
  expect(bodyText({ body, eventName: '' })).toBe(want)
})

test.each([
  ['web-vitals lcp=364', 'web-vitals', 'lcp=364'],
  ['session_resume', 'session_resume', ''],
  ['sessions ended', 'session', 'sessions ended'],
  ['ended', 'session', 'ended'],
])('the body %j of the event %j is written %j', (body, eventName, want) => {
  expect(bodyText({ body, eventName })).toBe(want)
})
