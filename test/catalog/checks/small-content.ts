import { buildCatalog, type Catalog, type ContentFile } from '../../../src/catalog/catalog.ts'
import { lintCatalog } from '../../../src/catalog/lint-catalog.ts'
import type { Finding } from '../../../src/rules/checks/check.ts'
import { positionOf } from '../../../src/model/diagnostic.ts'
import type { KnownMetric } from '../../../src/rules/metrics/metric-catalog.ts'

/** A small content without a fault: two alerts, a recorded series, their tests, pages and a dashboard. */
export const SMALL_CONTENT: Readonly<Record<string, string>> = {
  'alert-rules/virt.yaml': `groups:
  - name: virt
    interval: 30s
    rules:
      - record: cluster:kubevirt_virt_handler_ready:sum
        expr: sum by (cluster, cluster_id) (kubevirt_virt_handler_ready_status)
      - alert: NoReadyVirtHandler
        expr: |
          cluster:kubevirt_virt_handler_ready:sum == 0
        for: 10m
        labels:
          severity: critical
          operator_health_impact: critical
          kubernetes_operator_part_of: kubevirt
          kubernetes_operator_component: kubevirt
        annotations:
          summary: 'No virt-handler on {{ $labels.cluster }} is ready.'
          description: It has been so for 10 minutes.
          runbook_url: '{{ $externalURL }}/rb/NoReadyVirtHandler'
      - alert: KubeVirtCRModified
        expr: |
          sum by (cluster, cluster_id, component_name) (
            increase(kubevirt_hco_out_of_band_modifications_total[10m])
          ) > 0
        labels:
          severity: warning
          operator_health_impact: warning
          kubernetes_operator_part_of: kubevirt
          kubernetes_operator_component: hyperconverged-cluster-operator
        annotations:
          summary: '{{ $labels.component_name }} on {{ $labels.cluster }} was changed.'
          description: Changed {{ $value }} times in the last 10 minutes.
          runbook_url: '{{ $externalURL }}/rb/KubeVirtCRModified'
`,
  'alert-rules/tests/virt.yaml': `rule_files: [../virt.yaml]
tests:
  - input_series: []
    alert_rule_test:
      - eval_time: 9m
        alertname: NoReadyVirtHandler
        exp_alerts: []
      - eval_time: 11m
        alertname: NoReadyVirtHandler
        exp_alerts:
          - exp_labels:
              severity: critical
      - eval_time: 1m
        alertname: KubeVirtCRModified
        exp_alerts:
          - exp_labels: { severity: warning }
      - eval_time: 30m
        alertname: KubeVirtCRModified
        exp_alerts: []
`,
  'runbooks/NoReadyVirtHandler.md': `---
aliases:
  - VirtHandlerGone
---
# NoReadyVirtHandler

## Meaning

No virt-handler of {{cluster}} has been ready for 10 minutes. This is a critical alert.

## Impact

Machines cannot be started. See [the other page](KubeVirtCRModified.md#impact).

## Diagnosis

How many are ready:

\`\`\`promql live
cluster:kubevirt_virt_handler_ready:sum{cluster="{{cluster}}"}
\`\`\`

\`\`\`bash kubectl
kubectl get daemonset virt-handler -n {{namespace}}
\`\`\`

## Mitigation

Mend the node.
`,
  'runbooks/KubeVirtCRModified.md': `# KubeVirtCRModified

## Meaning

Something changed {{component_name}} in the last 10 minutes.

## Impact

None.

## Diagnosis

Where else:

\`\`\`promql live
count(ALERTS{alertname="KubeVirtCRModified", alertstate="firing"})
\`\`\`

## Mitigation

Ask who it was.
`,
  'dashboards/virt.yaml': `kind: Dashboard
metadata:
  name: virt
spec:
  panels:
    ready:
      kind: Panel
      spec:
        plugin:
          kind: StatChart
        queries:
          - kind: TimeSeriesQuery
            spec:
              plugin:
                kind: PrometheusTimeSeriesQuery
                spec:
                  query: cluster:kubevirt_virt_handler_ready:sum{cluster=~"$cluster"}
  layouts:
    - kind: Grid
      spec:
        items:
          - x: 0
            content:
              $ref: '#/spec/panels/ready'
`,
}

/** A metric of this server, as its registry would tell. */
export const OWN: readonly KnownMetric[] = [{ name: 'daytwo_alerts', type: 'gauge', labels: ['state'] }]

export function catalogOf(content: Readonly<Record<string, string>>): Catalog {
  const filesIn = (folder: string): ContentFile[] =>
    Object.entries(content)
      .filter(([path]) => path.startsWith(folder) && !path.slice(folder.length).includes('/'))
      .map(([path, text]) => ({ path, text }))
  return buildCatalog({
    ruleFiles: filesIn('alert-rules/'),
    testFiles: filesIn('alert-rules/tests/'),
    pageFiles: filesIn('runbooks/'),
    dashboardFiles: filesIn('dashboards/'),
  })
}

export interface Told {
  readonly check: string
  readonly severity: string
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
  /** What the caret is under. */
  readonly under: string
}

export async function lintOf(content: Readonly<Record<string, string>>): Promise<Told[]> {
  const { findings, textOf } = await lintCatalog(catalogOf(content), { ownMetrics: OWN })
  return findings.map(({ check, severity, file, from, to, message }: Finding) => {
    const text = textOf(file)
    return { check, severity, file, message, ...positionOf(text, from), under: text.slice(from, to) }
  })
}

/** The small content with one text replaced by another; the text must be there. */
export function replaced(path: string, find: string, by: string): Record<string, string> {
  const text = SMALL_CONTENT[path] ?? ''
  if (!text.includes(find)) throw new Error(`${path} has no ${JSON.stringify(find)}`)
  return { ...SMALL_CONTENT, [path]: text.replace(find, () => by) }
}
