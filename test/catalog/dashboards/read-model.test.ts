import { describe, expect, test } from 'vitest'
import { readDashboard } from '../../../src/catalog/dashboard.ts'
import { readModel } from '../../../src/catalog/dashboards/read-model.ts'
import { CHART_KINDS, type Chart, type DashboardModel } from '../../../src/model/dashboard.ts'
import { EVERY_KIND } from './every-kind.ts'

const { model, faults, queries } = readModel('every.yaml', EVERY_KIND)

function chartOf<K extends Chart['kind']>(board: DashboardModel, id: string, kind: K): Extract<Chart, { kind: K }> {
  const chart = board.panels.find((panel) => panel.id === id)?.chart
  if (chart?.kind !== kind) throw new Error(`panel ${id} is ${chart?.kind ?? 'not there'}; want ${kind}`)
  return chart as Extract<Chart, { kind: K }>
}

describe('a dashboard in the form of the operator', () => {
  test('says who it is', () => {
    expect(model).toMatchObject({
      name: 'every-kind',
      project: 'openshift-cnv',
      title: 'Every kind',
      durationSeconds: 3600,
      refreshSeconds: 60,
      links: [{ name: 'Runbooks', rendersVariables: true }],
    })
  })

  test('what nobody here draws is told, as warnings at its place', () => {
    expect(faults.map(({ severity, message, from, to }) => [severity, message, EVERY_KIND.slice(from, to)])).toEqual([
      [
        'warning',
        'a query setting of TimeSeriesChart of panel lines sets colorValue, which is not supported: charts use one colour-blind safe palette; red, amber and green are reserved for severity and outcome',
        'colorValue',
      ],
      ['warning', 'unknown kind FlameChart', 'FlameChart'],
      ['warning', 'unknown kind ProfileQuery', 'ProfileQuery'],
    ])
    expect(chartOf(model, 'flames', 'unknown')).toEqual({
      kind: 'unknown',
      name: 'FlameChart',
      spec: '              palette: { scheme: turbo }',
    })
  })

  test('has a panel of every kind that is drawn', () => {
    const kinds = new Set<string>(model.panels.map(({ chart }) => chart.kind))
    expect([...kinds].sort()).toEqual([...CHART_KINDS, 'unknown'].sort())
  })

  test('every PromQL is known with its panel, those of variables without one', () => {
    expect(queries.filter(({ panel }) => panel === undefined).map(({ text }) => text.text)).toEqual([
      'kubevirt_info',
      'group by (node) (kubevirt_vmi_info{cluster=~"$cluster"})',
    ])
    expect(readDashboard('every.yaml', EVERY_KIND).diagnostics).toEqual(faults)
  })

  test('variables', () => {
    expect(model.variables).toEqual([
      {
        kind: 'list',
        name: 'cluster',
        title: 'Cluster',
        description: 'Where it runs.',
        isHidden: false,
        allowsAll: true,
        allowsMultiple: true,
        customAllValue: '',
        capturingRegexp: '',
        sort: 'alphabetical-asc',
        defaultValues: ['$__all'],
        source: { kind: 'label-values', labelName: 'cluster', matchers: ['kubevirt_info'] },
      },
      expect.objectContaining({
        name: 'node',
        customAllValue: '.*',
        capturingRegexp: String.raw`^(node-\d+)`,
        source: expect.objectContaining({ kind: 'promql', labelName: 'node' }) as unknown,
      }),
      expect.objectContaining({
        name: 'top',
        defaultValues: ['5'],
        source: {
          kind: 'static',
          values: [
            { value: '5', label: '5' },
            { value: '10', label: 'ten' },
          ],
        },
      }),
      expect.objectContaining({ kind: 'text', name: 'pattern', value: '.*', isConstant: false }),
      expect.objectContaining({ kind: 'text', name: 'fixed', isHidden: true, isConstant: true }),
    ])
  })

  test('a chart over time', () => {
    const lines = chartOf(model, 'lines', 'TimeSeriesChart')
    expect(lines.legend).toEqual({
      mode: 'table',
      position: 'bottom',
      size: 'medium',
      values: ['last-number', 'mean', 'max'],
    })
    expect(lines.thresholds?.steps.map(({ value, name }) => [value, name])).toEqual([
      [60, ''],
      [80, 'too busy'],
    ])
    expect(lines.yAxis).toMatchObject({
      min: 0,
      max: 1,
      label: 'busy',
      format: { unit: 'percent-decimal', decimalPlaces: 0 },
    })
    expect(lines.visual).toMatchObject({ lineWidth: 1.5, areaOpacity: 0.2, connectsNulls: true, stack: 'none' })
    expect(
      lines.querySettings.map(({ queryIndex, colorMode, lineStyle }) => [queryIndex, colorMode, lineStyle]),
    ).toEqual([
      [0, 'fixed', undefined],
      [1, undefined, 'dashed'],
    ])
    expect(model.panels[0]?.queries).toEqual([
      expect.objectContaining({ seriesNameFormat: 'cpu {{node}}', minStepSeconds: 0 }),
      expect.objectContaining({ minStepSeconds: 60, minStepText: '', isInstant: false }),
    ])
    expect(model.panels.find(({ id }) => id === 'asked')?.queries).toEqual([
      expect.objectContaining({ minStepSeconds: 0, minStepText: '$top', isInstant: true }),
    ])
    expect(chartOf(model, 'bars', 'TimeSeriesChart')).toMatchObject({
      visual: { display: 'bar', stack: 'all' },
      yAxis: { logBase: 10 },
      legend: { position: 'right' },
    })
  })

  test('conditions of mappings and of cells', () => {
    expect(chartOf(model, 'stat', 'StatChart').mappings.map(({ condition, text }) => [condition, text])).toEqual([
      [{ kind: 'value', value: '0' }, 'healthy'],
      [{ kind: 'range', min: 2, max: 9 }, 'down'],
      [{ kind: 'regex', pattern: '^-' }, 'negative'],
      [{ kind: 'misc', value: 'null' }, 'nobody knows'],
    ])
    const [state, name] = chartOf(model, 'joined', 'Table').columns
    expect(state?.cells.map(({ condition }) => condition)).toEqual([
      { kind: 'value', value: '1' },
      { kind: 'range', min: 2, max: 3 },
    ])
    expect(name?.cells[0]).toMatchObject({ condition: { kind: 'regex', pattern: '^test-' }, text: 'a test' })
  })

  test('a table with its transforms; one that is disabled is none', () => {
    expect(chartOf(model, 'joined', 'Table').transforms).toEqual([
      { kind: 'MergeIndexedColumns', column: 'value' },
      { kind: 'MergeIndexedColumns', column: 'name' },
      { kind: 'MergeColumns', columns: ['kind #1', 'kind #2'], name: 'kind' },
      { kind: 'JoinByColumnValue', columns: ['name'] },
    ])
    expect(chartOf(model, 'merged', 'Table')).toMatchObject({
      density: 'compact',
      canFilter: true,
      isColumnHidden: true,
      columns: [
        { name: 'cluster', header: 'Cluster', canSort: true, width: 180, link: { title: 'Open' } },
        { name: 'value #1', align: 'right', sort: 'desc', headerDescription: 'worst of all' },
        { name: 'value #2', format: { unit: 'bytes' } },
        { name: 'note', isHidden: true },
      ],
    })
  })

  test('layouts, open and closed', () => {
    expect(
      model.grids.map(({ title, canCollapse, isOpen, items }) => [title, canCollapse, isOpen, items.length]),
    ).toEqual([
      ['Over time', false, true, 2],
      ['Now', false, true, 7],
      ['Tables', false, true, 2],
      ['Words', false, true, 3],
      ['Each node', false, true, 1],
      ['Units', true, false, 14],
    ])
  })

  test('nobody can change it', () => {
    expect(() => {
      ;(model.panels[0]!.chart as { kind: string }).kind = 'Table'
    }).toThrow(TypeError)
  })

  test('the first form of the operator has no config', () => {
    const first = EVERY_KIND.replace('v1alpha2', 'v1alpha1')
      .replace('  config:\n', '')
      .replaceAll(/^ {4}(?=\S)/gm, '  ')
    // What stood below config has moved by two columns; YAML only wants them to be the same.
    expect(readModel('first.yaml', first).model.title).toBe('Every kind')
  })
})

const small = (panel: string, more = ''): string => `kind: Dashboard
metadata: { name: small }
spec:
  panels:
    a:
      kind: Panel
      spec:
        ${panel}
${more}`

describe('a fault stands at its place', () => {
  test.each([
    [
      'a number',
      small('plugin: { kind: GaugeChart, spec: { max: much } }'),
      'max of GaugeChart of panel a is "much"; want a number',
      'much',
    ],
    ['a flag', small('plugin: { kind: Table, spec: { enableFiltering: yes } }'), 'want true or false', 'yes'],
    [
      'a word',
      small('plugin: { kind: Table, spec: { density: tight } }'),
      '"tight"; want compact, standard, comfortable',
      'tight',
    ],
    ['a kind', small('plugin: { kind: StatsChart }'), 'unknown kind StatsChart', 'StatsChart'],
    ['a unit', small('plugin: { kind: StatChart, spec: { format: { unit: byte } } }'), 'unknown unit byte', 'byte'],
    [
      'a key',
      small('plugin: { kind: StatChart, spec: { calculatoin: max } }'),
      'has the key calculatoin',
      'calculatoin',
    ],
    [
      'a bound',
      small('plugin: { kind: TimeSeriesChart, spec: { visual: { lineWidth: 9 } } }'),
      'want 0.25 to 3',
      'lineWidth',
    ],
    [
      'a threshold without a value',
      small('plugin: { kind: StatChart, spec: { thresholds: { steps: [{ color: red }] } } }'),
      'has no value',
      '{',
    ],
    [
      'a regular expression',
      small('plugin: { kind: Table, spec: { cellSettings: [{ condition: { kind: Regex, spec: { expr: "(" } } }] } }'),
      'is not a regular expression',
      '"("',
    ],
    [
      'a range that ends before it begins',
      small(
        'plugin: { kind: Table, spec: { cellSettings: [{ condition: { kind: Range, spec: { min: 2, max: 1 } } }] } }',
      ),
      'ends at 1, before its start at 2',
      '{',
    ],
    [
      'a cell without a condition',
      small('plugin: { kind: Table, spec: { cellSettings: [{ text: x }] } }'),
      'has no condition',
      '{',
    ],
    [
      'a legend value',
      small('plugin: { kind: TimeSeriesChart, spec: { legend: { values: [median] } } }'),
      '"median"; want last-number',
      'median',
    ],
    [
      'a reference to nothing',
      small(
        'plugin: { kind: Table }',
        "  layouts: [{ kind: Grid, spec: { items: [{ content: { $ref: '#/spec/panels/b' } }] } }]\n",
      ),
      '#/spec/panels/b leads to nothing',
      "'#/spec/panels/b'",
    ],
    [
      'a panel beyond the columns',
      small(
        'plugin: { kind: Table }',
        "  layouts: [{ kind: Grid, spec: { items: [{ x: 20, width: 8, content: { $ref: '#/spec/panels/a' } }] } }]\n",
      ),
      'panel a ends in column 28; there are 24',
      '{',
    ],
    [
      'half a row',
      small(
        'plugin: { kind: Table }',
        "  layouts: [{ kind: Grid, spec: { items: [{ height: 1.5, content: { $ref: '#/spec/panels/a' } }] } }]\n",
      ),
      'want a whole number from 1',
      'height',
    ],
    ['a duration', small('plugin: { kind: Table }', '  duration: 6 hours\n'), 'want a duration such as 6h', '6 hours'],
    [
      'two variables of one name',
      small(
        'plugin: { kind: Table }',
        '  variables: [{ kind: TextVariable, spec: { name: v } }, { kind: TextVariable, spec: { name: v } }]\n',
      ),
      'variable v is there twice',
      '{',
    ],
    [
      'a built-in name',
      small('plugin: { kind: Table }', '  variables: [{ kind: TextVariable, spec: { name: __range } }]\n'),
      'cannot be called "__range"',
      '__range',
    ],
    ['a panel without a plugin', small('display: { name: x }'), 'panel a has no kind', 'd'],
    [
      'a panel of another kind',
      small('plugin: { kind: Table }').replace('kind: Panel', 'kind: Pane'),
      'want kind Panel, got Pane',
      'Pane',
    ],
    ['a list that is none', small('plugin: { kind: Table }', '  variables: none\n'), 'want a list', 'none'],
    [
      'panels repeated for a variable that is not there',
      small('plugin: { kind: Table }', '  layouts: [{ kind: Grid, spec: { repeatVariable: v } }]\n'),
      'no variable is called v',
      'repeatVariable',
    ],
  ])('%s', (_what, text, message, under) => {
    const found = readModel('small.yaml', text).faults
    expect(found.map((fault) => fault.message).join('\n')).toContain(message)
    const fault = found.find((one) => one.message.includes(message))
    expect(text.slice(fault?.from, fault?.to)).toBe(under)
  })

  test('a query is pointed at where it is wrong', () => {
    const text = small(`plugin: { kind: StatChart }
        queries:
          - kind: TimeSeriesQuery
            spec:
              plugin:
                kind: PrometheusTimeSeriesQuery
                spec:
                  query: >-
                    sum by (cluster)
                    (rate(up[$__range]) / tru)`)
    const [fault] = readDashboard('small.yaml', text.replace('tru)', 'tru) )')).diagnostics
    expect(text.replace('tru)', 'tru) )').slice(fault?.from, fault?.to)).toBe(')')
  })

  test('broken YAML is a fault and an empty dashboard', () => {
    const read = readModel('broken.yaml', 'kind: [')
    expect(read.faults.length).toBeGreaterThan(0)
    expect(read.model.panels).toEqual([])
  })
})

describe('every option is done, or told at its place and with its panel', () => {
  const chart = (kind: string, spec: string) => {
    const read = readModel('a.yaml', small(`plugin: { kind: ${kind}, spec: { ${spec} } }`))
    const [panel] = read.model.panels
    return { chart: panel?.chart, told: panel?.notDone ?? [], faults: read.faults.map(({ message }) => message) }
  }

  test('of bars: groups, stacks, how they stand, and what colours stand for', () => {
    const spec =
      "groupBy: [region, platform], isStacked: true, orientation: vertical, mode: percentage, colorOverrides: [{ regex: '^fail', color: red }]"
    expect(chart('BarChart', spec)).toEqual({
      chart: expect.objectContaining({
        groupBy: ['region', 'platform'],
        isStacked: true,
        orientation: 'vertical',
        mode: 'percentage',
        sort: undefined,
        colorOverrides: [{ pattern: '^fail', color: 'red' }],
      }) as unknown,
      told: [],
      faults: [],
    })
    // Alone they are sorted, as Perses does it.
    expect(chart('BarChart', '').chart).toMatchObject({ sort: 'desc', orientation: 'horizontal', groupBy: [] })
    expect(chart('BarChart', "colorOverrides: [{ regex: '(', color: red }]").told).toEqual([
      '"(" is not a regular expression',
    ])
  })

  test.each([
    [
      'PieChart',
      'legend: { position: right, size: small, values: [abs] }, radius: 80, showLabels: true',
      { radius: 80 },
    ],
    ['GaugeChart', 'legend: { show: true }', { isNamed: true }],
    ['GaugeChart', 'legend: { show: false }', { isNamed: false }],
    ['GaugeChart', '', { isNamed: undefined }],
    ['StatChart', 'valueFontSize: 40, sparkline: { width: 3 }', { valueFontPx: 40, sparklineWidth: 3 }],
    ['HeatMapChart', 'showVisualMap: true', { hasScale: true }],
    [
      'StatusHistoryChart',
      'sorting: desc, legend: { position: right }',
      { sort: 'desc', legend: { position: 'right' } },
    ],
    ['TimeSeriesChart', 'tooltip: { enablePinning: false }', { canPin: false }],
    ['TimeSeriesChart', 'visual: { palette: { mode: auto } }, yAxis: { logBase: 2 }', { canPin: true }],
    ['Table', 'defaultColumnWidth: 90, defaultColumnHeight: auto', { columnWidth: 90, rowHeight: undefined }],
    ['Table', 'enableSorting: true, columnSettings: [{ name: a }]', { columns: [{ name: 'a', canSort: true }] }],
    [
      'Table',
      'columnSettings: [{ name: a, dataLink: { url: /, openNewTab: true } }], pagination: false, selection: { enabled: false }',
      { columns: [{ link: { url: '/', opensTab: true } }], actions: [] },
    ],
  ])('%s { %s }: done', (kind, spec, want) => {
    const read = chart(kind, spec)
    expect(read.chart).toMatchObject(want)
    expect([read.told, read.faults]).toEqual([[], []])
  })

  test.each([
    ['PieChart', "colorPalette: ['#f00']", 'PieChart of panel a sets colorPalette, which is not supported'],
    [
      'StatChart',
      "sparkline: { color: '#f00' }",
      'the sparkline of StatChart of panel a sets color, which is not supported',
    ],
    [
      'TimeSeriesChart',
      'visual: { palette: { mode: categorical } }',
      'the visual of TimeSeriesChart of panel a sets palette, which is not supported',
    ],
    [
      'TimeSeriesChart',
      'yAxis: { logBase: 5 }',
      'the y axis of TimeSeriesChart of panel a sets logBase, which is not supported',
    ],
    ['Table', 'pagination: true', 'Table of panel a sets pagination, which is not supported'],
    [
      'Table',
      'selection: { enabled: true, variant: multiple }',
      'Table of panel a sets selection, which is not supported',
    ],
    ['Table', 'columnSettings: [{ name: x, plugin: { kind: GaugeChart } }]', 'column x has a chart in its cells'],
    ['StatChart', 'orientation: vertical', 'StatChart of panel a has the key orientation'],
  ])('%s { %s }: told', (kind, spec, message) => {
    const { told, faults: all } = chart(kind, spec)
    expect(told).toEqual([expect.stringContaining(message)])
    expect(all).toEqual(told)
  })

  test('of a table: what somebody could do with a row is named, unless it is switched off', () => {
    const actions = (more: string): string =>
      `actions: { ${more} actionsList: [{ name: Restart, type: webhook, url: 'https://ops.example.com/' }, { name: Tell, type: event, eventName: x }, { name: Off, enabled: false }] }`
    const on = chart('Table', actions(''))
    expect(on.chart).toMatchObject({
      actions: [
        { name: 'Restart', url: 'https://ops.example.com/' },
        { name: 'Tell', url: '' },
      ],
    })
    expect(on.told).toEqual([expect.stringContaining('sets actions, which is not supported')])
    expect(chart('Table', actions('enabled: false,'))).toMatchObject({ chart: { actions: [] }, told: [] })
  })

  test('of queries: another server and a resolution are told, a kind of server alone is not', () => {
    const told = (more: string): readonly string[] =>
      readModel(
        'a.yaml',
        small(
          `{ plugin: { kind: StatChart }, queries: [{ kind: TimeSeriesQuery, spec: { plugin: { kind: PrometheusTimeSeriesQuery, spec: { query: up, ${more} } } } }] }`,
        ),
      ).model.panels[0]!.notDone
    expect(told('datasource: { kind: PrometheusDatasource }')).toEqual([])
    expect(told('datasource: { kind: PrometheusDatasource, name: thanos }')).toEqual([
      expect.stringContaining('this server is queried, not thanos'),
    ])
    expect(told('resolution: 2')).toEqual([expect.stringContaining('sets resolution, which is not supported')])
  })
})
