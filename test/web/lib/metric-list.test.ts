import { expect, test } from 'vitest'
import type { KnownMetricItem } from '../../../src/contract/metric-catalog.ts'
import { searchOf } from '../../../src/web/lib/address.ts'
import {
  applyMetricView,
  metricRows,
  selectorOf,
  suggestionsFor,
  typeChoices,
  METRIC_VIEW,
} from '../../../src/web/lib/metric-list.ts'

const known = (name: string, more: Partial<KnownMetricItem>): KnownMetricItem => ({
  name,
  type: 'gauge',
  labels: [],
  unit: null,
  since: null,
  isGone: false,
  replacedBy: null,
  rules: [],
  panels: [],
  ...more,
})

const ROWS = metricRows({
  names: ['up', 'wait_seconds_bucket', 'odd', 'jobs_total'],
  metadata: {
    wait_seconds: [{ type: 'histogram', help: 'Time in the queue.', unit: 'seconds' }],
    odd: [{ type: 'unknown', help: '', unit: '' }],
    jobs_total: [{ type: 'counter', help: 'Jobs.', unit: '' }],
  },
  known: [known('up', { since: 'HCO 1.4' }), known('gone', { isGone: true, replacedBy: 'up' })],
  seriesByName: new Map([
    ['up', 7],
    ['jobs_total', 40],
  ]),
})

const names = (search: string): string[] => applyMetricView(ROWS, METRIC_VIEW.parse(search)).map(({ name }) => name)

test('senders say what a metric is, the catalogue what they do not say, and nobody is said so', () => {
  const byName = new Map(ROWS.map((row) => [row.name, row]))
  expect(byName.get('wait_seconds_bucket')).toMatchObject({ type: 'histogram', unit: 'seconds', series: undefined })
  expect(byName.get('up')).toMatchObject({ type: 'gauge', help: '', since: 'HCO 1.4', isSent: true })
  expect(byName.get('odd')).toMatchObject({ type: '', since: undefined })
  expect(byName.get('gone')).toMatchObject({ isSent: false, isGone: true, replacedBy: 'up' })
})

test.each([
  ['', ['jobs_total', 'odd', 'up', 'wait_seconds_bucket']],
  ['show=all', ['gone', 'jobs_total', 'odd', 'up', 'wait_seconds_bucket']],
  ['order=desc', ['wait_seconds_bucket', 'up', 'odd', 'jobs_total']],
  ['sort=series', ['jobs_total', 'up', 'odd', 'wait_seconds_bucket']],
  ['sort=series&order=asc', ['up', 'jobs_total', 'odd', 'wait_seconds_bucket']],
  ['q=queue+WAIT', ['wait_seconds_bucket']],
  ['q=queue+jobs', []],
  ['type=unknown', ['odd']],
])('the address %j shows %j', (search, want) => {
  expect(names(search)).toEqual(want)
})

test.each(['', 'q=a+b&type=gauge&show=all&sort=series&order=asc&metric=up', 'order=desc'])(
  'the address %j is written as it was read',
  (search) => {
    expect(searchOf(METRIC_VIEW.searchOf(METRIC_VIEW.parse(search)))).toBe(search)
  },
)

test('counts types, not known ones among them', () => {
  expect(typeChoices(ROWS).map(({ value, count }) => `${value} ${count}`)).toEqual([
    'counter 1',
    'gauge 2',
    'histogram 1',
    'unknown 1',
  ])
})

test.each([
  ['up', '', '', 'up'],
  ['a:b', 'cluster', 'x"y\\', 'a:b{cluster="x\\"y\\\\"}'],
  ['http.server', '', '', '{"http.server"}'],
  ['http.server', 'a.b', 'c', '{"http.server", "a.b"="c"}'],
])('%s with %s=%s is selected by %s', (metric, label, value, want) => {
  expect(selectorOf(metric, label, value)).toBe(want)
})

test.each([
  ['up', 'gauge', 'up'],
  ['jobs_total', '', 'sum by (cluster) (rate(jobs_total[5m]))'],
  ['x_bucket', 'histogram', 'histogram_quantile(0.9, sum by (cluster, le) (rate(x_bucket[5m])))'],
])('of %s (%s) is asked first %s', (name, type, want) => {
  expect(suggestionsFor({ name, type })[0]?.expr).toBe(want)
})
