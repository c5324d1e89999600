import { describe, expect, test } from 'vitest'
import { readDashboard } from '../../../src/catalog/dashboard.ts'
import { importGrafana } from '../../../src/catalog/grafana/import-dashboard.ts'
import type { DashboardModel, ListVariable } from '../../../src/model/dashboard.ts'

/** What dashboards in use have that no plain one has, a row each. */

interface Outcome {
  readonly model: DashboardModel
  readonly notConverted: readonly string[]
}

function imported(dashboard: object): Outcome {
  const { yaml, notConverted } = importGrafana(JSON.stringify({ title: 'D', panels: [], ...dashboard }))
  const { dashboard: read, diagnostics } = readDashboard('d.yaml', yaml)
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  return {
    model: read.model,
    notConverted: notConverted.filter((line) => !line.endsWith('no panel could be converted')),
  }
}

const panelOf = (panel: object): Outcome => imported({ panels: [{ type: 'timeseries', title: 'P', ...panel }] })
const target = (more: object = {}): object => ({ refId: 'A', expr: 'up', ...more })

describe('the regex of a variable', () => {
  const regexOf = (regex: string): Outcome =>
    imported({ templating: { list: [{ type: 'query', name: 'v', query: 'label_values(up, job)', regex }] } })
  const captured = (regex: string): string => (regexOf(regex).model.variables[0] as ListVariable).capturingRegexp

  test.each([
    ['without a group it chooses, and values stay whole', '/^kube/', '^(.*(?:^kube).*)$'],
    ['with one it captures', String.raw`/(.*):\d+/`, String.raw`(.*):\d+`],
    ['of several the first counts', '/(a|b)-(c)/', '(a|b)-(?:c)'],
    ['or the one that is called so', '/(?<text>[^(]+) (?<value>.*)/', '(?:[^(]+) (.*)'],
    ['what captures nothing stays', String.raw`/\((?:a)(b)(?=c)/`, String.raw`\((?:a)(b)(?=c)`],
    ['and what looks behind', '/(?<=x)(b)/', '(?<=x)(b)'],
  ])('%s', (_what, regex, want) => {
    expect(captured(regex)).toBe(want)
  })

  test('that does not look at the case of letters says so', () => {
    expect(regexOf('/(A)/i').notConverted).toEqual([
      'variable v: /(A)/i chooses whatever the case of letters in Grafana, and as it is written here',
    ])
  })
})

test('an interval that Grafana works out by itself is no value', () => {
  const { model } = imported({
    templating: {
      list: [{ type: 'interval', name: 'i', auto: true, query: '1m,5m', current: { value: '$__auto_interval_i' } }],
    },
  })
  expect((model.variables[0] as ListVariable).defaultValues).toEqual([])
})

describe('a query', () => {
  test.each([
    ['of the panel has its least step', { interval: '2m' }, {}, { minStepSeconds: 120 }],
    ['has its own before that', { interval: '2m' }, { interval: '>30s' }, { minStepSeconds: 30 }],
    ['has that of a variable', {}, { interval: '$res' }, { minStepText: '$res' }],
    ['of a moment is asked at the end', { type: 'stat' }, { instant: true }, { isInstant: true }],
    ['that is of both is asked over time', { type: 'stat' }, { instant: true, range: true }, { isInstant: false }],
    ['names its series with a variable', {}, { legendFormat: '{{job}} [[c]]' }, { seriesNameFormat: '{{job}} ${c}' }],
    ['of a named source is of Prometheus', { datasource: '$ds' }, {}, { expr: 'up' }],
    ['of the default source too', { datasource: { type: 'prometheus', uid: '${ds}' } }, {}, { expr: 'up' }],
  ])('%s', (_what, panel, query, want) => {
    const { model, notConverted } = panelOf({ ...panel, targets: [target(query)] })
    expect(model.panels[0]?.queries).toEqual([expect.objectContaining(want)])
    expect(notConverted).toEqual([])
  })

  test.each([
    ['of Loki', { datasource: { type: 'loki' } }, {}, 'query A is not one of Prometheus: left out'],
    [
      'of Loki among others',
      { datasource: { type: 'datasource', uid: '-- Mixed --' } },
      { datasource: { type: 'loki' } },
      'query A is not one of Prometheus: left out',
    ],
    ['with a step of Grafana', {}, { interval: '$__interval' }, 'the least step $__interval of query A is left out'],
  ])('%s is reported', (_what, panel, query, line) => {
    expect(panelOf({ ...panel, targets: [target(query)] }).notConverted).toEqual([`panel "P": ${line}`])
  })
})

test.each([
  ['now-6h', 'now', 21_600, []],
  ['now-2d/d', 'now/d', 172_800, ['dashboard: its time from now-2d/d to now/d is the last 2d']],
  ['now/w', 'now', 3600, ['dashboard: its time from now/w to now is the last 1h']],
])('the time from %s to %s', (from, to, seconds, lines) => {
  const { model, notConverted } = imported({ time: { from, to } })
  expect(model.durationSeconds).toBe(seconds)
  expect(notConverted).toEqual(lines)
})

const value = (color: string) => ({
  color: { mode: 'x' },
  thresholds: { steps: [{ color: 'green' }, { color, value: 1 }] },
})

describe('what a panel loses is notConverted', () => {
  test.each([
    [
      'of any kind its overrides',
      { type: 'stat', fieldConfig: { overrides: [{}] } },
      'overrides of single series are left out',
    ],
    [
      'thresholds of bars',
      { type: 'bargauge', fieldConfig: { defaults: value('red') } },
      'its thresholds are left out: bars have none in Perses',
    ],
    [
      'thresholds of states',
      { type: 'state-timeline', fieldConfig: { defaults: value('red') } },
      'its thresholds are left out: states have mappings only in Perses',
    ],
    [
      'gaps that are zero',
      { type: 'graph', nullPointMode: 'null as zero' },
      'missing values are zero in Grafana, and a gap in Perses',
    ],
    [
      'an axis that is not time',
      { type: 'graph', xaxis: { mode: 'series' } },
      'the x axis is time in Perses, and series in Grafana',
    ],
    ['words around a value', { type: 'singlestat', postfix: ' VMs' }, 'its postfix  VMs is left out'],
    [
      'a name instead of a value',
      { type: 'stat', options: { textMode: 'name' } },
      'it shows the name of the series in Grafana, and the value here',
    ],
    [
      'the order of an old table',
      { type: 'table', sort: { col: 3, desc: true } },
      'its order is left out: it names a column by number',
    ],
    [
      'the rows of an old table',
      { type: 'table', transform: 'timeseries_to_rows' },
      'the rows that timeseries_to_rows makes are left out: there is one for each series',
    ],
    [
      'the colours of an old column',
      { type: 'table', styles: [{ pattern: 'a', colorMode: 'cell' }] },
      'the colours of column a are left out',
    ],
    [
      'transformations',
      { transformations: [{ id: 'reduce' }] },
      'its transformations are left out: Perses supports them only in tables',
    ],
  ])('%s', (_what, panel, line) => {
    expect(panelOf({ ...panel, targets: [target()] }).notConverted).toEqual([`panel "P": ${line}`])
  })
})

test('a row is repeated here too', () => {
  const panels = [
    { type: 'row', title: 'Of $node', repeat: 'node' },
    { type: 'stat', title: 'S', targets: [target()] },
  ]
  const templating = { list: [{ type: 'query', name: 'node', query: 'label_values(node)' }] }
  const { model, notConverted } = imported({ panels, templating })
  expect(model.grids).toMatchObject([{ title: 'Of $node', repeatVariable: 'node' }])
  expect(notConverted).toEqual([])
})

test('a label instead of a value, and a gauge of single values', () => {
  const chartOf = (panel: object) => panelOf({ ...panel, targets: [target()] }).model.panels[0]?.chart
  expect(chartOf({ type: 'stat', options: { reduceOptions: { fields: '/^version$/' } } })).toMatchObject({
    ...{ kind: 'StatChart', metricLabel: 'version' },
  })
  expect(chartOf({ type: 'singlestat', gauge: { show: true, maxValue: 50 }, thresholds: '1,2' })).toMatchObject({
    ...{ kind: 'GaugeChart', max: 50, thresholds: { steps: [{ value: 1 }, { value: 2 }] } },
  })
})

test('a table of today: order, names, units, links, words and colours of its cells', () => {
  const { model, notConverted } = panelOf({
    type: 'table',
    targets: [target(), target({ refId: 'B' })],
    transformations: [
      { id: 'joinByField', options: { byField: 'pod', mode: 'outer' } },
      { id: 'filterFieldsByName', options: { include: { names: ['pod', 'Value #A', 'Value #B'] } } },
      {
        id: 'organize',
        options: {
          indexByName: { 'Value #B': 0, pod: 1, 'Value #A': 2 },
          renameByName: { pod: 'Pod', 'Value #A': 'Used' },
          excludeByName: { Time: true },
        },
      },
    ],
    fieldConfig: {
      defaults: {
        unit: 'bytes',
        mappings: [{ type: 'range', options: { from: 0, to: 1, result: { text: 'none', color: 'dark-red' } } }],
      },
      overrides: [
        {
          matcher: { id: 'byName', options: 'Used' },
          properties: [
            { id: 'unit', value: 'percentunit' },
            { id: 'decimals', value: 1 },
          ],
        },
        {
          matcher: { id: 'byName', options: 'Pod' },
          properties: [{ id: 'links', value: [{ title: 'Open', url: '/p/${__data.fields.pod}?of=${__value.text}' }] }],
        },
        {
          matcher: { id: 'byName', options: 'Value #B' },
          properties: [{ id: 'mappings', value: [{ type: 'value', options: { 0: { text: 'off' } } }] }],
        },
      ],
    },
  })
  expect(notConverted).toEqual([])
  expect(model.panels[0]?.chart).toMatchObject({
    kind: 'Table',
    isColumnHidden: true,
    columns: [
      { name: 'value #2', format: { unit: 'bytes' }, cells: [{ condition: { value: '0' }, text: 'off' }] },
      {
        name: 'pod',
        header: 'Pod',
        link: { url: '/p/${__data.fields["pod"]}?of=${__data.fields["pod"]}', title: 'Open' },
      },
      { name: 'value #1', header: 'Used', format: { unit: 'percent-decimal', decimalPlaces: 1 } },
      { name: 'timestamp', isHidden: true },
    ],
    cells: [{ condition: { kind: 'range', min: 0, max: 1 }, text: 'none', textColor: '#f2495c' }],
    transforms: [{ kind: 'MergeSeries' }, { kind: 'JoinByColumnValue', columns: ['pod'] }],
  })
})

describe('a panel that is repeated', () => {
  const templating = { list: [{ type: 'custom', name: 'node', query: 'a,b', multi: true }] }
  const at = (x: number, y: number, w: number): object => ({ gridPos: { x, y, w, h: 5 } })
  const plain = (title: string, where: object): object => ({ type: 'stat', title, ...where, targets: [target()] })
  const gridsOf = (...panels: readonly object[]) => {
    const { model, notConverted } = imported({ templating, panels })
    return {
      grids: model.grids.map(({ title, repeatVariable, items }) => [
        title,
        repeatVariable,
        ...items.map(({ panel, x, y, width }) => `${panel} ${x},${y} ${width}`),
      ]),
      notConverted,
    }
  }

  test('is a grid between what stands before it and after it', () => {
    const repeated = { ...plain('Of $node', at(0, 5, 24)), repeat: 'node' }
    const row = { type: 'row', title: 'Row', ...at(0, 0, 24) }
    expect(gridsOf(row, plain('Before', at(0, 1, 12)), repeated, plain('After', at(6, 12, 6)))).toEqual({
      grids: [
        ['Row', '', 'before 0,0 12'],
        ['', 'node', 'of_node 0,0 6'],
        ['', '', 'after 6,0 6'],
      ],
      notConverted: [],
    })
  })

  test('has the title of a row that begins with it', () => {
    const row = { type: 'row', title: 'Row', ...at(0, 0, 24) }
    const repeated = { ...plain('P', at(0, 1, 6)), repeat: 'node' }
    expect(gridsOf(row, repeated, plain('After', at(0, 7, 6))).grids).toEqual([
      ['Row', 'node', 'p 0,0 6'],
      ['', '', 'after 0,0 6'],
    ])
  })

  test.each([
    ['has its width', { gridPos: { x: 0, y: 0, w: 8, h: 5 } }, 8, []],
    ['has the width that so many in a row leave', { maxPerRow: 2 }, 12, []],
    [
      'below each other says that it is beside each other',
      { repeatDirection: 'v', gridPos: { x: 0, y: 0, w: 12, h: 5 } },
      12,
      ['panel "Of $node": its repetitions are beside each other, in Grafana below each other'],
    ],
  ])('%s', (_what, more, width, notConverted) => {
    const found = gridsOf({ ...plain('Of $node', at(0, 0, 24)), repeat: 'node', ...more })
    expect(found).toEqual({ grids: [['', 'node', `of_node 0,0 ${width}`]], notConverted })
  })

  test.each([
    [
      'a variable that is not there',
      [{ ...plain('P', at(0, 0, 6)), repeat: 'pod' }],
      'pod: the dashboard has no such variable',
    ],
    [
      'a row that is repeated',
      [
        { type: 'row', title: 'Of $node', repeat: 'node', ...at(0, 0, 24) },
        { ...plain('P', at(0, 1, 6)), repeat: 'node' },
      ],
      'node: its row is repeated, and a repeated row cannot contain repeated panels',
    ],
    [
      'a row that is closed',
      [
        {
          type: 'row',
          title: 'R',
          collapsed: true,
          ...at(0, 0, 24),
          panels: [{ ...plain('P', at(0, 1, 6)), repeat: 'node' }],
        },
      ],
      'node: its row is closed, and a repeated panel is not in a row',
    ],
  ])('of %s is there once, and says why', (_what, panels, why) => {
    const { grids, notConverted } = gridsOf(...panels)
    expect(grids).toHaveLength(1)
    expect(notConverted).toEqual([`panel "P": it is not repeated for each ${why}`])
  })
})
