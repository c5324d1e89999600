import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { HEALTH_IMPACTS, SEVERITIES } from '../../src/model/alert.ts'
import { formatDuration } from '../../src/model/duration.ts'
import { metricNamesOf } from '../../src/promql/ast.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'
import { requirePeer } from '../support/peers.ts'
import { RULE_TESTS_DIR, ruleTests, shippedCatalog } from './content.ts'

const catalog = shippedCatalog()
const { groups, diagnostics } = loadRuleFiles(catalog.ruleFiles)
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter((rule) => rule.kind === 'alerting')

/** Alerts about this server, which is of no cluster of the fleet, are told apart by its address. */
function isOfServer({ name }: { readonly name: string }): boolean {
  return groups.some((group) => group.name === 'daytwo-server' && group.rules.some((rule) => rule.name === name))
}

/** Alerts about an edge of the upgrade graph, or a version, which many clusters take: by which label their summary has. */
const OF_FLEET: ReadonlyMap<string, string> = new Map([
  ['DaytwoEdgeFailing', 'from'],
  ['DaytwoRolloutHold', 'version'],
  ['DaytwoRolloutVerdictChanged', 'version'],
])

/** For receivers that are programs. */
const OWN_ANNOTATIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['DaytwoRolloutHold', ['rollout_url']],
  ['DaytwoRolloutVerdictChanged', ['previous_verdict', 'rollout_url']],
])

test('every rule of this server reads metrics that it keeps', () => {
  const own = new Set(
    createOwnMetrics('0')
      .registry.getMetricsAsArray()
      .map(({ name }) => name),
  )
  const server = groups.find(({ name }) => name === 'daytwo-server')
  const used = server?.rules.flatMap((rule) => metricNamesOf(parseExpr(rule.expr))) ?? []
  expect(used.length).toBeGreaterThan(0)
  expect(used.filter((name) => !own.has(name))).toEqual([])
})

test('every rule file loads without a finding', () => {
  expect(diagnostics).toEqual([])
  expect(rules.length).toBeGreaterThan(0)
})

describe.each(alerts.map((alert) => [`${alert.name} (${alert.labels['severity'] ?? ''})`, alert] as const))(
  '%s',
  (_, alert) => {
    test('has the labels people route by', () => {
      expect(SEVERITIES).toContain(alert.labels['severity'])
      expect(HEALTH_IMPACTS).toContain(alert.labels['operator_health_impact'])
      expect(Object.keys(alert.labels).sort()).toEqual([
        'kubernetes_operator_component',
        'kubernetes_operator_part_of',
        'operator_health_impact',
        'severity',
      ])
    })

    test('says what it is and leads to its runbook', () => {
      const own = OWN_ANNOTATIONS.get(alert.name) ?? []
      expect(Object.keys(alert.annotations).sort()).toEqual(['description', ...own, 'runbook_url', 'summary'])
      expect(alert.annotations['runbook_url']).toBe(`{{ $externalURL }}/rb/${alert.name}`)
      const who = isOfServer(alert) ? 'instance' : (OF_FLEET.get(alert.name) ?? 'cluster')
      expect(alert.annotations['summary']).toContain(`$labels.${who}`)
      expect(catalog.pages.has(alert.name)).toBe(true)
    })

    test('keeps clusters apart and replicas together', () => {
      // A filter keeps the labels of what it filters; series derived here have the cluster's name alone.
      const kept = alert.expr.replace(/\b(?:unless|and) on \(cluster\)\s+max by \(cluster\) \(/g, '(')
      const groupings = [...kept.matchAll(/\b(by|without|on)\s*\(([^)]*)\)/g)]
      expect(groupings).not.toEqual([])
      for (const [, word, list = ''] of groupings) {
        const names = list.split(',').map((name) => name.trim())
        if (word === 'without') expect(names).toEqual(['prometheus', 'prometheus_replica'])
        else expect(names).toEqual(expect.arrayContaining(['cluster', 'cluster_id']))
        if (isOfServer(alert)) expect(names).toContain('instance')
      }
    })

    test('is tested firing and not firing', () => {
      const rows = ruleTests()
        .flatMap((one) => one.alert_rule_test ?? [])
        .filter((row) => row.alertname === alert.name)
      const severities = rows.flatMap((row) => row.exp_alerts.map(({ exp_labels }) => exp_labels['severity']))
      expect(severities).toContain(alert.labels['severity'])
      const firing = rows.map((row) => row.exp_alerts.length)
      expect(Math.min(...firing)).toBeLessThan(Math.max(...firing))
    })
  },
)

test('groups have a beat of half a minute, but for those that look far back or are of the platform', () => {
  const others = groups.filter((group) => formatDuration(group.intervalMs) !== '30s')
  expect(Object.fromEntries(others.map((group) => [group.name, formatDuration(group.intervalMs)]))).toEqual({
    'cluster-version-operator': '1m',
    'cnv-observability': '1m',
    daytwo: '5m',
    'daytwo-edges': '5m',
    'daytwo-server': '1m',
    'daytwo-upgrades': '1m',
    'kubevirt-migrations': '5m',
    'kubevirt-virtual-machines': '1m',
    telemetry: '1m',
  })
})

describe('promtool', () => {
  test('accepts the rule files', (context) => {
    const promtool = requirePeer('promtool', context)
    const paths = catalog.ruleFiles.map(({ path }) => path)
    expect(execFileSync(promtool, ['check', 'rules', ...paths], { encoding: 'utf8' })).toContain('SUCCESS')
  })

  test.for(readdirSync(RULE_TESTS_DIR))('passes the unit tests in %s', (name, context) => {
    const promtool = requirePeer('promtool', context)
    // It makes much garbage and keeps little: collecting that less often is a third less work.
    const env = { ...process.env, GOGC: '1000' }
    const said = execFileSync(promtool, ['test', 'rules', join(RULE_TESTS_DIR, name)], { encoding: 'utf8', env })
    expect(said).toContain('SUCCESS')
  })
})
