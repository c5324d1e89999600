import { describe, expect, test } from 'vitest'
import { readDashboard } from '../../../src/catalog/dashboard.ts'
import { readModel } from '../../../src/catalog/dashboards/read-model.ts'
import { CHART_KINDS } from '../../../src/model/dashboard.ts'
import type { Chart, DashboardModel } from '../../../src/model/dashboard.ts'
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

  test('only kinds that nobody here draws are told, as warnings at their place', () => {
    expect(faults.map(({ severity, message, from, to }) => [severity, message, EVERY_KIND.slice(from, to)])).toEqual([
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
      expect.objectContaining({ minStepSeconds: 60 }),
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
      ['Now', false, true, 6],
      ['Tables', false, true, 2],
      ['Words', false, true, 3],
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
      'ends at 1, before it begins at 2',
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
      'repeated panels',
      small('plugin: { kind: Table }', '  layouts: [{ kind: Grid, spec: { repeatVariable: v } }]\n'),
      'panels are not repeated',
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
