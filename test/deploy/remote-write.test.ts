import { RECORDED_SIGNALS } from '../../src/model/observation.ts'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { bindRunbook } from '../../src/catalog/bind-runbook.ts'
import { withSampleVariables } from '../../src/catalog/dashboard.ts'
import { SIGNAL_GROUPS } from '../../src/fleet/signals/signals.ts'
import { metricNamesOf, selectorsOf } from '../../src/promql/ast.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'
import { ROOT, shippedCatalog } from '../content/content.ts'
import { deployText, relabelled, remoteWrites, type RemoteWrite } from './edge-kit.ts'

// The allow-list of the snippets is what Daytwo reads: rules, live cells of runbooks, dashboards, and the fleet's facts.

const catalog = shippedCatalog()
const rules = loadRuleFiles(catalog.ruleFiles).groups.flatMap((group) => group.rules)

/** Recorded or counted here, or evaluated here from the same rules. */
const isOwn = (name: string): boolean => name.includes('daytwo') || name === 'ALERTS'

const FLEET = readdirSync(join(ROOT, 'src/fleet'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join(ROOT, 'src/fleet', path), 'utf8'))
  .join('\n')

function readByContent(): Set<string> {
  const cells = [...catalog.pages.values()].flatMap((page) => bindRunbook(page, { isPlain: true }).cells)
  const panels = readdirSync(join(ROOT, 'dashboards')).flatMap((file) =>
    queriesIn(parse(readFileSync(join(ROOT, 'dashboards', file), 'utf8'))),
  )
  const exprs = [...rules.map(({ expr }) => expr), ...cells.map(({ expr }) => expr), ...panels]
  return new Set(exprs.flatMap((expr) => metricNamesOf(parseExpr(expr))).filter((name) => !isOwn(name)))
}

/** Every `query` of a dashboard, with its variables replaced by something that parses. */
function queriesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'query' && typeof inner === 'string' ? [withSampleVariables(inner)] : queriesIn(inner),
  )
}

/** Names that stand before a selector in what the fleet's facts ask. */
function readByFleet(): Set<string> {
  return new Set(
    [...FLEET.matchAll(/\b((?:csv|kube|kubevirt|cluster|subscription|catalogsource)_\w+)\{/g)].map(([, name]) => name!),
  )
}

const settings = remoteWrites()
const [openshift] = [...settings.values()] as [RemoteWrite]
const allowed = openshift.writeRelabelConfigs
  .filter(({ sourceLabels, replacement }) => sourceLabels?.join() === '__name__' && replacement === 'send')
  .flatMap(({ regex }) => regex!.split('|'))

describe('the allow-list', () => {
  const byContent = readByContent()

  test('has every metric that rules, runbooks and dashboards read', () => {
    // Daytwo's own rules record these.
    const recorded = SIGNAL_GROUPS.flatMap(({ sources }) =>
      [...sources].flatMap(([name, { signal }]) => (RECORDED_SIGNALS.has(signal) ? [name] : [])),
    )
    expect([...byContent].filter((name) => !allowed.includes(name) && !recorded.includes(name)).sort()).toEqual([])
    expect(byContent.size).toBeGreaterThan(100)
  })

  test('has every metric that the facts of the fleet read', () => {
    expect([...readByFleet()].filter((name) => !allowed.includes(name)).sort()).toEqual([])
    expect(readByFleet().size).toBeGreaterThan(4)
  })

  test('has every metric that upgrades are derived from', () => {
    const read = SIGNAL_GROUPS.flatMap(({ sources }) =>
      [...sources].flatMap(([name, { signal }]) => (RECORDED_SIGNALS.has(signal) ? [] : [name])),
    )
    expect(read.filter((name) => !allowed.includes(name))).toEqual([])
    expect(read.length).toBeGreaterThan(10)
  })

  test('has none that nobody reads, and each once', () => {
    const isRead = (name: string): boolean => byContent.has(name) || new RegExp(`\\b${name}\\b`).test(FLEET)
    expect(allowed.filter((name) => !isRead(name))).toEqual([])
    expect(allowed).toEqual([...new Set(allowed)])
    expect(allowed.filter((name) => !/^[a-z_:][a-z0-9_:]*$/i.test(name))).toEqual([])
  })

  test('is the same in all three settings', () => {
    const lists = [...settings.values()].map(({ writeRelabelConfigs }) =>
      writeRelabelConfigs.filter(({ targetLabel }) => targetLabel !== 'cluster_id'),
    )
    expect(lists).toHaveLength(3)
    for (const list of lists) expect(list).toEqual(lists[0])
  })
})

describe.each([...settings])('%s', (name, { url, authorization, writeRelabelConfigs }) => {
  const sent = (series: Readonly<Record<string, string>>) => relabelled(series, writeRelabelConfigs)
  const isOpenShift = name !== 'k8s'

  test('sends to the door for remote write, with the token of a Secret', () => {
    expect(url).toBe('https://REPLACE_WITH_ENDPOINT/api/v1/write')
    expect(authorization).toEqual({ type: 'Bearer', credentials: { name: 'daytwo', key: 'token' } })
  })

  test('names the cluster on every series, and leaves no label of its own', () => {
    const labels = { __name__: 'csv_succeeded', name: 'x', __tmp_openshift_cluster_id__: '2c0d4e9a' }
    expect(sent(labels)).toEqual({
      ...labels,
      cluster: 'REPLACE_WITH_CLUSTER_NAME',
      ...(isOpenShift && { cluster_id: '2c0d4e9a' }),
    })
  })

  test.each(
    allowed.filter((metric) => !/^(up|rest_client_requests_total|kube_(pod|deployment|daemonset)_.+)$/.test(metric)),
  )('sends %s', (metric) => {
    expect(sent({ __name__: metric })).toMatchObject({ __name__: metric })
  })

  test.each([
    ['up', 'pod', 'virt-handler-x7f2p', true],
    ['up', 'pod', 'hco-operator-6d5c-abcde', true],
    ['up', 'pod', 'hostpath-provisioner-operator-6d5c', true],
    ['up', 'pod', 'node-exporter-x7f2p', false],
    ['up', 'instance', '10.0.0.1:9100', false],
    ['kube_pod_status_phase', 'pod', 'virt-launcher-vm1-abcde', true],
    ['kube_pod_container_status_restarts_total', 'pod', 'importer-dv-1', true],
    ['kube_pod_container_status_restarts_total', 'pod', 'dv1-source-pod', true],
    ['kube_pod_status_phase', 'pod', 'shop-7c9d', false],
    ['rest_client_requests_total', 'pod', 'virt-api-1', true],
    ['rest_client_requests_total', 'pod', 'kube-controller-manager-1', false],
    ['kube_deployment_spec_replicas', 'deployment', 'virt-api', true],
    ['kube_deployment_spec_replicas', 'deployment', 'shop', false],
    ['kube_daemonset_status_number_ready', 'daemonset', 'virt-handler', true],
    ['kube_daemonset_status_number_ready', 'daemonset', 'node-exporter', false],
    ['container_cpu_usage_seconds_total', 'pod', 'virt-launcher-vm1-abcde', false],
    ['kubevirt_vm_labels', 'namespace', 'shop', false],
    ['ALERTS', 'alertname', 'Watchdog', false],
  ])('%s{%s="%s"} is sent: %s', (metric, label, value, isSent) => {
    expect(sent({ __name__: metric, [label]: value }) !== undefined).toBe(isSent)
  })

  test('every pod, deployment and daemon set that a rule asks for by name passes', () => {
    const asked = rules
      .flatMap(({ expr }) => selectorsOf(parseExpr(expr)))
      .flatMap(({ matchers }) => {
        const metric = matchers.find((matcher) => matcher.name === '__name__')?.value ?? ''
        if (!allowed.includes(metric)) return []
        return matchers
          .filter((matcher) => ['pod', 'deployment', 'daemonset'].includes(matcher.name) && matcher.op !== '!=')
          .flatMap((matcher) => examplesOf(matcher.value).map((value) => ({ __name__: metric, [matcher.name]: value })))
      })
    expect(asked.length).toBeGreaterThan(20)
    expect(asked.filter((series) => sent(series) === undefined)).toEqual([])
  })
})

/** Names that a matcher of the rules matches: `virt-(api|handler)-.+` gives two. */
function examplesOf(pattern: string): string[] {
  const choice = /\(([^()]+)\)/.exec(pattern)
  if (choice !== null) return choice[1]!.split('|').flatMap((word) => examplesOf(pattern.replace(choice[0], word)))
  return [pattern.replaceAll('.+', 'x7f2p')]
}

test('the page names the settings by their place in the file', () => {
  expect([...settings.keys()]).toEqual(['cluster-monitoring-config', 'user-workload-monitoring-config', 'k8s'])
  for (const name of settings.keys()) expect(deployText('README.md')).toContain(name)
})
