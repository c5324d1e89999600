import { describe, expect, test } from 'vitest'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import { catalogWithRecorded } from '../../src/rules/checks/label-set.ts'
import type { PlacedRule } from '../../src/rules/checks/rule-content.ts'
import { labelsOfMetric, metricCatalogOf, metricsOfRegistry } from '../../src/rules/metrics/metric-catalog.ts'
import { readMetricTable } from '../../src/rules/metrics/metric-catalog.ts'

describe('the metric table', () => {
  test('reads a line', () => {
    expect(readMetricTable('# comment\n\na counter x label_* unit=bytes since=HCO_1.7 now=b\n')).toEqual([
      { name: 'a', type: 'counter', labels: ['x', 'label_*'], unit: 'bytes', since: 'HCO 1.7', replacedBy: 'b' },
    ])
    expect(readMetricTable('a gauge now=-')).toEqual([{ name: 'a', type: 'gauge', labels: [], replacedBy: null }])
  })

  test('a type that does not exist is a bug', () => {
    expect(() => readMetricTable('a guage x')).toThrow('want one of gauge, counter')
  })
})

describe('the catalogue', () => {
  const catalog = metricCatalogOf([])

  test('knows what clusters send, with labels of scrape and fleet', () => {
    expect(catalog.find('kubevirt_hco_out_of_band_modifications_total')).toMatchObject({
      type: 'counter',
      labels: ['component_name'],
      since: 'HCO 1.10',
    })
    expect(labelsOfMetric(catalog.find('kubevirt_info')!)).toEqual(
      expect.arrayContaining(['kubeversion', 'pod', 'cluster']),
    )
    expect(labelsOfMetric(catalog.find('cluster:kubevirt_virt_api_up:sum')!)).not.toContain('pod')
  })

  test('names are there once, and what replaces a metric is there too', () => {
    expect(new Set(catalog.names).size).toBe(catalog.names.length)
    const dangling = catalog.names
      .map((name) => catalog.find(name)?.replacedBy)
      .filter((now) => now !== undefined && now !== null && catalog.find(now) === undefined)
    expect(dangling).toEqual([])
  })

  test('a histogram has its parts', () => {
    const name = 'kubevirt_vmi_phase_transition_time_seconds'
    expect(catalog.find(`${name}_bucket`)).toMatchObject({ type: 'counter', labels: ['phase', 'last_phase', 'le'] })
    expect(catalog.find(`${name}_count`)?.type).toBe('counter')
    expect(catalog.find('olm_resolution_duration_seconds')?.labels).toContain('quantile')
  })

  test('this server’s own are told with type and labels', async () => {
    const own = await metricsOfRegistry(createOwnMetrics('1').registry)
    expect(own).toContainEqual({ name: 'daytwo_alerts', type: 'gauge', labels: ['state'] })
    expect(own).toContainEqual({
      name: 'daytwo_ingest_samples_refused_total',
      type: 'counter',
      labels: ['format', 'reason'],
    })
    expect(own.find(({ name }) => name === 'daytwo_query_duration_seconds')?.type).toBe('histogram')
  })
})

describe('recorded series', () => {
  const rule = (name: string, expr: string, labels: readonly string[] = []): PlacedRule =>
    ({
      kind: 'recording',
      name,
      query: { expr: parseExpr(expr) },
      labels: new Map(labels.map((label) => [label, { text: 'v' }])),
    }) as unknown as PlacedRule

  test('have the labels of their expression and rule, through each other in any order', () => {
    const catalog = catalogWithRecorded(
      [rule('b', 'sum by (cluster, node) (a)'), rule('a', 'sum by (cluster, pod) (kubevirt_info)', ['name'])],
      [],
    )
    expect(catalog.find('a')?.labels).toEqual(['cluster', 'pod', 'name'])
    expect(catalog.find('b')?.labels).toEqual(['cluster'])
  })

  test('that clusters record too have the labels of both; of an unknown metric, any', () => {
    const name = 'cluster:kubevirt_virt_api_up:sum'
    const catalog = catalogWithRecorded([rule(name, 'sum by (cluster) (up)'), rule('c', 'unheard_of')], [])
    expect(catalog.find(name)?.labels).toEqual(expect.arrayContaining(['cluster', 'namespace', 'prometheus']))
    expect(catalog.find('c')?.labels).toEqual(['*'])
  })

  test('that read themselves end', () => {
    expect(catalogWithRecorded([rule('a', 'max by (cluster) (a)')], []).find('a')?.labels).toEqual(['cluster'])
  })
})
