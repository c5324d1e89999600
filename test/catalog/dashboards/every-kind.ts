/**
 * A dashboard in the operator's form with every kind of panel, variable, transform, condition and calculation, and the
 * units of the field. Unit tests read it; a browser test draws it.
 */

const UNIT_PANELS: readonly (readonly [unit: string, expr: string])[] = [
  ['percent-decimal', '0.425'],
  ['percent', '42.5'],
  ['decimal', '1234567'],
  ['bytes', '1610612736'],
  ['decbytes', '1500000000'],
  ['bytes/sec', '1572864'],
  ['decbytes/sec', '1500000'],
  ['ops/sec', '1234'],
  ['milliseconds', '1500'],
  ['seconds', '5400'],
  ['minutes', '90'],
  ['hours', '36'],
  ['days', '10'],
  ['datetime-local', '1790000000'],
]

const query = (expr: string, more = ''): string => `
          - kind: TimeSeriesQuery
            spec:
              plugin:
                kind: PrometheusTimeSeriesQuery
                spec:
                  query: ${JSON.stringify(expr)}${more}`

function unitPanel([unit, expr]: (typeof UNIT_PANELS)[number]): string {
  return `
      ${idOf(unit)}:
        kind: Panel
        spec:
          display:
            name: Unit ${unit}
          plugin:
            kind: StatChart
            spec:
              calculation: last-number
              format:
                unit: ${unit}
          queries:${query(`vector(${expr})`).replaceAll('\n', '\n  ')}`
}

function idOf(unit: string): string {
  return `unit_${unit.replaceAll(/\W/g, '_')}`
}

const grid = (
  title: string,
  items: readonly (readonly [string, number, number, number, number])[],
  more = '',
): string =>
  `
      - kind: Grid
        spec:
          display:
            title: ${title}${more}
          items:${items
            .map(
              ([panel, x, y, width, height]) =>
                `\n            - { x: ${x}, y: ${y}, width: ${width}, height: ${height}, content: { $ref: '#/spec/panels/${panel}' } }`,
            )
            .join('')}`

export const EVERY_KIND = `apiVersion: perses.dev/v1alpha2
kind: PersesDashboard
metadata:
  name: every-kind
  namespace: openshift-cnv
  labels:
    app.kubernetes.io/name: perses-dashboard
spec:
  config:
    display:
      name: Every kind
      description: One panel of each kind.
    duration: 1h
    refreshInterval: 1m
    links:
      - { name: Runbooks, url: 'https://example.com/?cluster=$cluster', renderVariables: true }
    variables:
      - kind: ListVariable
        spec:
          name: cluster
          display: { name: Cluster, description: Where it runs. }
          allowAllValue: true
          allowMultiple: true
          defaultValue: [$__all]
          sort: alphabetical-asc
          plugin:
            kind: PrometheusLabelValuesVariable
            spec:
              labelName: cluster
              matchers: [kubevirt_info]
      - kind: ListVariable
        spec:
          name: node
          display: { name: Node }
          allowAllValue: true
          allowMultiple: true
          customAllValue: '.*'
          capturingRegexp: '^(node-\\d+)'
          defaultValue: [$__all]
          plugin:
            kind: PrometheusPromQLVariable
            spec:
              expr: group by (node) (kubevirt_vmi_info{cluster=~"$cluster"})
              labelName: node
      - kind: ListVariable
        spec:
          name: top
          display: { name: Rows }
          defaultValue: '5'
          plugin:
            kind: StaticListVariable
            spec:
              values: ['5', { value: '10', label: ten }]
      - kind: TextVariable
        spec:
          name: pattern
          display: { name: Name }
          value: '.*'
      - kind: TextVariable
        spec:
          name: fixed
          display: { name: Fixed, hidden: true }
          value: constant
          constant: true
    panels:
      lines:
        kind: Panel
        spec:
          display:
            name: CPU by node
            description: Busy share of each node.
          links:
            - { name: Where it is from, url: 'https://example.com/cpu' }
          plugin:
            kind: TimeSeriesChart
            spec:
              legend: { mode: table, position: bottom, values: [last-number, mean, max] }
              tooltip: { enablePinning: true }
              yAxis:
                label: busy
                min: 0
                max: 1
                format: { unit: percent-decimal, decimalPlaces: 0 }
              thresholds:
                mode: percent
                defaultColor: '#73bf69'
                steps:
                  - { value: 80, color: '#f2495c', name: too busy }
                  - { value: 60, color: '#ff9830' }
              visual: { display: line, lineWidth: 1.5, areaOpacity: 0.2, connectNulls: true, pointRadius: 3, showPoints: auto }
              querySettings:
                - { queryIndex: 0, colorMode: fixed, colorValue: '#f2495c' }
                - { queryIndex: 1, lineStyle: dashed, areaOpacity: 0, format: { unit: bytes } }
          queries:${query('rate(node_cpu{cluster=~"$cluster",node=~"$node"}[$__rate_interval])', "\n                  seriesNameFormat: 'cpu {{node}}'").replaceAll('\n', '\n  ')}${query('node_memory_bytes{node=~"${node:regex}"}', '\n                  minStep: 1m').replaceAll('\n', '\n  ')}
      bars:
        kind: Panel
        spec:
          display: { name: Upgrades by phase }
          plugin:
            kind: TimeSeriesChart
            spec:
              legend: { mode: list, position: right }
              yAxis: { format: { unit: ops/sec }, logBase: 10 }
              visual: { display: bar, stack: all, areaOpacity: 1 }
          queries:${query('topk($top, sum by (phase) (increase(upgrades_total[$__range])))').replaceAll('\n', '\n  ')}
      stat:
        kind: Panel
        spec:
          display: { name: Health }
          plugin:
            kind: StatChart
            spec:
              calculation: max
              sparkline: { width: 1 }
              colorMode: background_solid
              thresholds:
                steps: [{ value: 1, color: orange, name: degraded }, { value: 2, color: red }]
              mappings:
                - { kind: Value, spec: { value: '0', result: { value: healthy, color: '#73bf69' } } }
                - { kind: Range, spec: { from: 2, to: 9, result: { value: down } } }
                - { kind: Regex, spec: { pattern: '^-', result: { value: negative } } }
                - { kind: Misc, spec: { value: 'null', result: { value: nobody knows } } }
          queries:${query('max by (cluster) (health)').replaceAll('\n', '\n  ')}
      gauge:
        kind: Panel
        spec:
          display: { name: Disk }
          plugin:
            kind: GaugeChart
            spec:
              calculation: mean
              format: { unit: percent-decimal, decimalPlaces: 1 }
              max: 1
              thresholds:
                mode: percent
                steps: [{ value: 70, color: orange }, { value: 90, color: red }]
          queries:${query('disk_used_ratio').replaceAll('\n', '\n  ')}
      merged:
        kind: Panel
        spec:
          display: { name: Clusters }
          plugin:
            kind: Table
            spec:
              density: compact
              enableFiltering: true
              defaultColumnHidden: true
              columnSettings:
                - { name: cluster, header: Cluster, enableSorting: true, width: 180, dataLink: { url: '/fleet/clusters/\${__data.fields["cluster"]}', title: Open, openNewTab: false } }
                - { name: 'value #1', header: Health, align: right, enableSorting: true, sort: desc, headerDescription: 'worst of all' }
                - { name: 'value #2', header: Memory, align: right, format: { unit: bytes } }
                - { name: note, hide: true }
              cellSettings:
                - { condition: { kind: Misc, spec: { value: 'null' } }, text: unknown }
              transforms:
                - { kind: MergeSeries, spec: {} }
          queries:${query('health').replaceAll('\n', '\n  ')}${query('node_memory_bytes').replaceAll('\n', '\n  ')}
      joined:
        kind: Panel
        spec:
          display: { name: Machines }
          plugin:
            kind: Table
            spec:
              columnSettings:
                - name: value
                  header: State
                  cellSettings:
                    - { condition: { kind: Value, spec: { value: '1' } }, text: up, textColor: '#73bf69' }
                    - { condition: { kind: Range, spec: { min: 2, max: 3 } }, prefix: '~', suffix: '!', backgroundColor: '#f2495c' }
                - name: name
                  cellSettings:
                    - { condition: { kind: Regex, spec: { expr: '^test-' } }, text: a test }
                - { name: timestamp, hide: true }
              transforms:
                - { kind: MergeIndexedColumns, spec: { column: value } }
                - { kind: MergeIndexedColumns, spec: { column: name } }
                - { kind: MergeColumns, spec: { columns: ['kind #1', 'kind #2'], name: kind } }
                - { kind: JoinByColumnValue, spec: { columns: [name] } }
                - { kind: JoinByColumnValue, spec: { columns: [kind], disabled: true } }
          queries:${query('vm_up{name=~"$pattern"}').replaceAll('\n', '\n  ')}${query('vm_age_seconds{name=~"$pattern"}').replaceAll('\n', '\n  ')}
      shares:
        kind: Panel
        spec:
          display: { name: Versions }
          plugin:
            kind: BarChart
            spec: { calculation: last, sort: desc, mode: percentage }
          queries:${query('count by (version) (kubevirt_info)', '\n                  seriesNameFormat: "{{version}}"').replaceAll('\n', '\n  ')}
      asked:
        kind: Panel
        spec:
          display: { name: Versions at this moment }
          plugin:
            kind: BarChart
            spec: { calculation: last }
          queries:${query('count by (version) (kubevirt_info)', '\n                  instant: true\n                  minStep: "$top"\n                  seriesNameFormat: "{{version}} of $top"').replaceAll('\n', '\n  ')}
      each:
        kind: Panel
        spec:
          display: { name: Busy share of $node }
          plugin:
            kind: StatChart
            spec: { calculation: last, format: { unit: percent-decimal } }
          queries:${query('max(rate(node_cpu{node=~"$node"}[5m]))').replaceAll('\n', '\n  ')}
      pie:
        kind: Panel
        spec:
          display: { name: Versions as a share }
          plugin:
            kind: PieChart
            spec: { calculation: first, format: { unit: decimal }, radius: 50 }
          queries:${query('count by (version) (kubevirt_info)', '\n                  seriesNameFormat: "{{version}}"').replaceAll('\n', '\n  ')}
      heat:
        kind: Panel
        spec:
          display: { name: Latency }
          plugin:
            kind: HeatMapChart
            spec: { yAxisFormat: { unit: seconds }, countFormat: { unit: decimal }, showVisualMap: true }
          queries:${query('sum by (le) (rate(latency_seconds_bucket[$__interval]))').replaceAll('\n', '\n  ')}
      history:
        kind: Panel
        spec:
          display: { name: State over time }
          plugin:
            kind: StatusHistoryChart
            spec:
              mappings:
                - { kind: Value, spec: { value: '1', result: { value: up, color: '#73bf69' } } }
                - { kind: Value, spec: { value: '0', result: { value: down, color: red } } }
          queries:${query('vm_up', '\n                  seriesNameFormat: "{{name}}"').replaceAll('\n', '\n  ')}
      words:
        kind: Panel
        spec:
          display: { name: What to do }
          plugin:
            kind: Markdown
            spec:
              text: |-
                ## First
                Look at **$cluster**, then at <b>the [runbooks](https://example.com)</b>.
      flames:
        kind: Panel
        spec:
          display: { name: Profile }
          plugin:
            kind: FlameChart
            spec:
              palette: { scheme: turbo }
          queries:
            - kind: ProfileQuery
              spec: { plugin: { kind: PyroscopeProfileQuery, spec: { profileType: cpu } } }
      empty:
        kind: Panel
        spec:
          display: { name: Nothing here }
          plugin:
            kind: TimeSeriesChart
            spec: {}
          queries:${query('nothing_at_all').replaceAll('\n', '\n  ')}${UNIT_PANELS.map(unitPanel).join('')}
    layouts:${grid('Over time', [
      ['lines', 0, 0, 12, 8],
      ['bars', 12, 0, 12, 8],
    ])}${grid('Now', [
      ['stat', 0, 0, 8, 4],
      ['gauge', 8, 0, 8, 4],
      ['shares', 16, 0, 8, 4],
      ['pie', 0, 4, 8, 5],
      ['heat', 8, 4, 8, 5],
      ['history', 16, 4, 8, 5],
      ['asked', 0, 9, 8, 4],
    ])}${grid('Tables', [
      ['merged', 0, 0, 12, 8],
      ['joined', 12, 0, 12, 8],
    ])}${grid('Words', [
      ['words', 0, 0, 8, 4],
      ['flames', 8, 0, 8, 4],
      ['empty', 16, 0, 8, 4],
    ])}${grid('Each node', [['each', 0, 0, 12, 2]]).replace('items:', 'repeatVariable: node\n          items:')}${grid(
      'Units',
      UNIT_PANELS.map(([unit], i) => [idOf(unit), (i % 6) * 4, Math.floor(i / 6) * 2, 4, 2]),
      '\n            collapse: { open: false }',
    )}
`
