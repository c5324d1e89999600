import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readDashboard } from '../../../src/catalog/dashboard.ts'
import { importGrafana } from '../../../src/catalog/grafana/import-dashboard.ts'
import type { DashboardModel } from '../../../src/model/dashboard.ts'

const target = (expr: string, more: object = {}): object => ({ refId: 'A', expr, ...more })
const at = (x: number, y: number, w: number, h: number): object => ({ gridPos: { x, y, w, h } })

const FRESH = {
  title: 'Control plane: now!',
  description: 'Of all clusters.',
  tags: ['virt'],
  schemaVersion: 39,
  time: { from: 'now-6h', to: 'now' },
  refresh: '30s',
  annotations: { list: [{ builtIn: 1, name: 'Annotations & Alerts' }, { name: 'deployments' }] },
  links: [
    { type: 'link', title: 'Docs', url: 'https://example.com/[[cluster]]', targetBlank: true },
    { type: 'dashboards', title: 'others', tags: ['virt'] },
  ],
  templating: {
    list: [
      { type: 'datasource', name: 'ds', query: 'prometheus' },
      {
        ...{ type: 'query', name: 'cluster', label: 'Cluster', multi: true, includeAll: true, allValue: '.*', sort: 1 },
        ...{
          query: { query: 'label_values(kubevirt_info, cluster)' },
          regex: '/^(prod-.*)/',
          current: { value: ['$__all'] },
        },
      },
      { type: 'query', name: 'node', query: 'label_values(node)', current: { value: 'n1' } },
      {
        ...{ type: 'query', name: 'pod', query: 'query_result(topk(5, up{cluster=~"[[cluster]]"}))' },
        regex: '/pod="([^"]+)"/',
      },
      { type: 'query', name: 'bare', query: 'query_result(count(up))' },
      { type: 'query', name: 'names', query: 'label_names()' },
      { type: 'query', name: 'odd', query: 'everything' },
      { type: 'custom', name: 'top', query: 'five : 5, 10', current: { value: '5' } },
      { type: 'interval', name: 'step', query: '1m,10m,auto', auto: true },
      { type: 'constant', name: 'fixed', query: 'x' },
      { type: 'textbox', name: 'typed', query: '.*', hide: 2 },
      { type: 'adhoc', name: 'filters' },
    ],
  },
  panels: [
    {
      ...{ id: 1, type: 'timeseries', title: 'CPU', description: 'Busy.', ...at(0, 0, 12, 8), repeat: 'cluster' },
      targets: [
        target('rate(cpu{c=~"$cluster"}[$__rate_interval])', { legendFormat: '{{node}}', interval: '1m' }),
        target('hidden', { refId: 'B', hide: true }),
        { refId: 'C', queryType: 'sql' },
      ],
      options: { legend: { displayMode: 'table', placement: 'right', calcs: ['lastNotNull', 'max', 'stdDev'] } },
      fieldConfig: {
        defaults: {
          ...{ unit: 'percentunit', decimals: 1, min: 0, max: 1 },
          custom: {
            ...{ drawStyle: 'line', lineWidth: 2, fillOpacity: 20, spanNulls: true, axisLabel: 'busy' },
            ...{ lineStyle: { fill: 'dash' }, stacking: { mode: 'normal' }, thresholdsStyle: { mode: 'line' } },
          },
          thresholds: {
            mode: 'absolute',
            steps: [
              { color: 'green', value: null },
              { color: 'red', value: 0.9 },
            ],
          },
        },
        overrides: [{ matcher: { id: 'byName', options: 'x' }, properties: [] }],
      },
    },
    {
      ...{ id: 2, type: 'stat', title: 'Health', ...at(12, 0, 6, 4), targets: [target('health')] },
      options: { reduceOptions: { calcs: ['max'] }, graphMode: 'area', colorMode: 'background' },
      fieldConfig: {
        defaults: {
          unit: 'short',
          mappings: [
            { type: 'value', options: { 0: { text: 'fine', color: 'green' } } },
            { type: 'range', options: { from: 1, to: 2, result: { text: 'bad' } } },
            { type: 'regex', options: { pattern: '^x', result: { text: 'x' } } },
            { type: 'special', options: { match: 'null', result: { text: 'nobody' } } },
          ],
        },
      },
    },
    {
      ...{ id: 3, type: 'gauge', title: 'Disk', ...at(18, 0, 6, 4) },
      targets: [target('disk')],
      fieldConfig: { defaults: { unit: 'percent', min: 5, max: 100 } },
    },
    { id: 4, type: 'row', title: 'Details', collapsed: false, ...at(0, 8, 24, 1) },
    {
      ...{
        id: 5,
        type: 'table',
        title: 'Pods',
        ...at(0, 9, 24, 8),
        targets: [target('a'), target('b', { refId: 'B' })],
      },
      transformations: [
        { id: 'merge', options: {} },
        { id: 'organize', options: { excludeByName: { Time: true }, renameByName: { 'Value #B': 'Memory' } } },
        { id: 'calculateField', options: {} },
      ],
      options: { sortBy: [{ displayName: 'pod', desc: true }] },
      fieldConfig: {
        defaults: {},
        overrides: [
          {
            matcher: { id: 'byName', options: 'Value #A' },
            properties: [{ id: 'unit', value: 'bytes' }, { id: 'custom.width', value: 90 }, { id: 'links' }],
          },
        ],
      },
    },
    { id: 6, type: 'text', title: 'Notes', ...at(0, 17, 12, 4), options: { mode: 'markdown', content: '# Hi' } },
    {
      ...{ id: 7, type: 'row', title: 'Closed', collapsed: true, ...at(0, 21, 24, 1) },
      panels: [
        {
          id: 8,
          type: 'heatmap',
          title: 'Latency',
          ...at(0, 22, 8, 8),
          targets: [target('sum by (le) (x)')],
          options: { yAxis: { unit: 's' } },
        },
        { id: 9, type: 'status-history', title: 'States', ...at(8, 22, 8, 8), targets: [target('up')] },
        { id: 10, type: 'bargauge', title: 'Bars', ...at(16, 22, 4, 8), targets: [target('up')] },
        { id: 11, type: 'piechart', title: 'Pie', ...at(20, 22, 4, 8), targets: [target('up')] },
        { id: 12, type: 'nodeGraph', title: 'Graph', ...at(0, 30, 8, 8) },
      ],
    },
  ],
}

function modelOf(json: unknown): { readonly model: DashboardModel; readonly notConverted: readonly string[] } {
  const { yaml, notConverted } = importGrafana(JSON.stringify(json))
  const { dashboard, diagnostics } = readDashboard('imported.yaml', yaml)
  expect(diagnostics).toEqual([])
  return { model: dashboard.model, notConverted }
}

describe('a dashboard of today', () => {
  const { model, notConverted } = modelOf(FRESH)
  const panel = (id: string) => model.panels.find((one) => one.id === id)

  test('keeps its name, time, tags and links', () => {
    expect(model).toMatchObject({
      ...{ name: 'control-plane-now', title: 'Control plane: now!', description: 'Of all clusters.', tags: ['virt'] },
      ...{
        durationSeconds: 21_600,
        refreshSeconds: 30,
        links: [{ name: 'Docs', url: 'https://example.com/${cluster}' }],
      },
    })
  })

  test('keeps its variables', () => {
    const said = model.variables.map((one) => [one.name, one.kind === 'list' ? one.source : one.value])
    expect(said).toEqual([
      ['cluster', { kind: 'label-values', labelName: 'cluster', matchers: ['kubevirt_info'] }],
      ['node', { kind: 'label-values', labelName: 'node', matchers: [] }],
      ['pod', { kind: 'promql', expr: 'topk(5, up{cluster=~"${cluster}"})', labelName: 'pod' }],
      ['bare', { kind: 'promql', expr: 'count(up)', labelName: '' }],
      ['names', { kind: 'label-names', matchers: [] }],
      [
        'top',
        {
          kind: 'static',
          values: [
            { value: '5', label: 'five' },
            { value: '10', label: '10' },
          ],
        },
      ],
      [
        'step',
        {
          kind: 'static',
          values: [
            { value: '1m', label: '1m' },
            { value: '10m', label: '10m' },
          ],
        },
      ],
      ['fixed', 'x'],
      ['typed', '.*'],
    ])
    expect(model.variables[0]).toMatchObject({
      ...{ title: 'Cluster', allowsAll: true, allowsMultiple: true, customAllValue: '.*', sort: 'alphabetical-asc' },
      ...{ capturingRegexp: '^(prod-.*)', defaultValues: ['$__all'] },
    })
    expect(model.variables.filter(({ isHidden }) => isHidden).map(({ name }) => name)).toEqual(['fixed', 'typed'])
  })

  test('keeps its graph', () => {
    expect(panel('cpu')).toMatchObject({
      title: 'CPU',
      chart: {
        kind: 'TimeSeriesChart',
        legend: { mode: 'table', position: 'right', values: ['last-number', 'max'] },
        thresholds: { defaultColor: 'green', steps: [{ value: 0.9, color: 'red' }] },
        yAxis: { min: 0, max: 1, label: 'busy', format: { unit: 'percent-decimal', decimalPlaces: 1 } },
        visual: { lineWidth: 2, lineStyle: 'dashed', areaOpacity: 0.2, stack: 'all', connectsNulls: true },
      },
      queries: [
        { expr: 'rate(cpu{c=~"$cluster"}[$__rate_interval])', seriesNameFormat: '{{node}}', minStepSeconds: 60 },
      ],
    })
  })

  test('keeps values, tables and the rest', () => {
    expect(panel('health')?.chart).toMatchObject({
      ...{ kind: 'StatChart', calculation: 'max', hasSparkline: true, colorMode: 'background_solid' },
      ...{
        format: { unit: 'decimal', isShort: true },
        mappings: [{ text: 'fine', color: 'green' }, { text: 'bad' }, { text: 'x' }, { text: 'nobody' }],
      },
    })
    expect(panel('disk')?.chart).toMatchObject({ kind: 'GaugeChart', max: 100, format: { unit: 'percent' } })
    expect(panel('pods')?.chart).toMatchObject({
      kind: 'Table',
      transforms: [{ kind: 'MergeSeries' }],
      columns: [
        { name: 'timestamp', isHidden: true },
        { name: 'value #2', header: 'Memory' },
        { name: 'value #1', format: { unit: 'bytes' }, width: 90 },
        { name: 'pod', sort: 'desc' },
      ],
    })
    const kinds = ['notes', 'latency', 'states', 'bars', 'pie'].map((id) => panel(id)?.chart.kind)
    expect(kinds).toEqual(['Markdown', 'HeatMapChart', 'StatusHistoryChart', 'BarChart', 'PieChart'])
  })

  test('keeps its rows, and each panel in its place', () => {
    expect(
      model.grids.map(({ title, isOpen, canCollapse, items }) => [
        title,
        isOpen,
        canCollapse,
        items.map((item) => [item.panel, item.x, item.y]),
      ]),
    ).toEqual([
      ['', true, false, [['cpu', 0, 0]]],
      [
        '',
        true,
        false,
        [
          ['health', 12, 0],
          ['disk', 18, 0],
        ],
      ],
      [
        'Details',
        true,
        true,
        [
          ['pods', 0, 0],
          ['notes', 0, 8],
        ],
      ],
      [
        'Closed',
        false,
        true,
        [
          ['latency', 0, 0],
          ['states', 8, 0],
          ['bars', 16, 0],
          ['pie', 20, 0],
        ],
      ],
    ])
  })

  test('repeats a panel as a grid of its own', () => {
    expect(model.grids.map(({ repeatVariable }) => repeatVariable)).toEqual(['cluster', '', '', ''])
  })

  test('tells all that it does not keep', () => {
    expect(notConverted).toEqual([
      'variable bare: the regex does not select a label of the result: the value of the sample is used',
      'variable odd: "everything" is not a query of Prometheus that is known: left out',
      'variable step: the automatic interval of Grafana is left out',
      'variable filters: variables of the type adhoc have no equivalent in Perses: left out',
      'panel "CPU": overrides of single series are left out',
      'panel "CPU": the legend\'s stdDev has no equivalent in Perses',
      'panel "CPU": query B is hidden: left out',
      'panel "CPU": query C is not one of Prometheus: left out',
      'panel "Disk": the gauge starts at 5 in Grafana, and at 0 in Perses',
      'panel "Pods": the transformation calculateField has no equivalent in Perses',
      'panel "Pods": the override links of column value #1 is left out',
      'panel "Graph": panels of the type nodeGraph are not supported: left out',
      'dashboard: the annotation deployments is left out',
      'dashboard: the link others is left out',
    ])
  })
})

test('a dashboard with rows of twelve columns, graphs and single values', () => {
  const { model, notConverted } = modelOf({
    dashboard: {
      ...{ title: 'Old', schemaVersion: 22, time: { from: 'now-30m' } },
      rows: [
        {
          ...{ title: 'Top', height: '304px' },
          panels: [
            {
              ...{
                type: 'graph',
                title: 'Net',
                span: 6,
                stack: true,
                percentage: true,
                fill: 5,
                linewidth: 1,
                bars: true,
              },
              ...{
                nullPointMode: 'connected',
                legend: { show: true, alignAsTable: true, rightSide: true, current: true, avg: true },
              },
              yaxes: [{ format: 'Bps', min: '0', label: 'in', logBase: 10 }, { format: 'short' }],
              thresholds: [{ value: 5, colorMode: 'critical' }],
              targets: [target('rate(net[$__rate_interval])')],
              alert: { name: 'x' },
            },
            {
              ...{ type: 'singlestat', title: 'Up', span: 6, valueName: 'current', format: 'none', thresholds: '1,2' },
              ...{ colors: ['green', 'orange', 'red'], colorBackground: true, sparkline: { show: true } },
              valueMaps: [{ value: '1', text: 'up', op: '=' }],
              targets: [target('up')],
            },
            {
              ...{ type: 'table', title: 'T', span: 12 },
              styles: [
                { pattern: 'Value', alias: 'V', unit: 'bytes', decimals: 1, type: 'number' },
                { pattern: 'Time', type: 'hidden' },
                { pattern: '/.*/' },
              ],
              targets: [target('t')],
            },
          ],
        },
      ],
    },
  })
  expect(notConverted).toEqual(['panel "Net": its alert is left out: write a rule'])
  expect(model.panels[0]?.chart).toMatchObject({
    ...{ kind: 'TimeSeriesChart', legend: { mode: 'table', position: 'right', values: ['last-number', 'mean'] } },
    ...{ visual: { display: 'bar', stack: 'percent', areaOpacity: 0.5, connectsNulls: true } },
    ...{
      yAxis: { format: { unit: 'decbytes/sec' }, min: 0, label: 'in', logBase: 10 },
      thresholds: { steps: [{ value: 5, color: 'red' }] },
    },
  })
  expect(model.panels[1]?.chart).toMatchObject({
    ...{ kind: 'StatChart', hasSparkline: true, colorMode: 'background_solid', mappings: [{ text: 'up' }] },
    thresholds: {
      defaultColor: 'green',
      steps: [
        { value: 1, color: 'orange' },
        { value: 2, color: 'red' },
      ],
    },
  })
  expect(model.panels[2]?.chart).toMatchObject({
    columns: [
      { name: 'value', header: 'V', format: { unit: 'bytes', decimalPlaces: 1 } },
      { name: 'timestamp', isHidden: true },
    ],
  })
  expect(model.grids[0]?.items.map(({ x, y, width, height }) => [x, y, width, height])).toEqual([
    [0, 0, 12, 8],
    [12, 0, 12, 8],
    [0, 8, 24, 8],
  ])
})

describe('what is no dashboard is refused', () => {
  test.each([
    ['no JSON', '{', 'the file is not JSON'],
    ['something else', '{"a":1}', 'neither panels nor rows'],
    ['a list', '[]', 'neither panels nor rows'],
  ])('%s', (_what, text, message) => {
    expect(() => importGrafana(text)).toThrow(message)
  })

  test('whatever stands in the fields, nothing is thrown for it', () => {
    const panels = [
      null,
      5,
      'x',
      {},
      { type: 5 },
      { type: 'graph', targets: 'no', gridPos: 'x', yaxes: {} },
      { type: 'stat', fieldConfig: [] },
    ]
    const { yaml } = importGrafana(
      JSON.stringify({ title: 5, panels, templating: { list: [1, { type: 'query' }] }, tags: 'x', links: 7 }),
    )
    expect((parse(yaml) as { kind: string }).kind).toBe('Dashboard')
  })
})
