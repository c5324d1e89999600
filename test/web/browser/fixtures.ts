import type { AlertItem, AlertItems } from '../../../src/contract/alerts.ts'
import type { QueryAnswer } from '../../../src/contract/prometheus.ts'
import type { BoundRunbook, RunbookInstance, RunbookList } from '../../../src/contract/runbooks.ts'
import type { UiSettings } from '../../../src/contract/ui.ts'
import { marksAt } from './alerting-fixtures.ts'

/** Answers of a made-up fleet, typed by the contract. Times are relative to `nowMs`, so that ages stay what they are. */

const MINUTE_MS = 60_000

export const SETTINGS: UiSettings = { version: '0.1.0', isDemo: true, externalUrl: 'https://daytwo.example.org' }

export const RULES: readonly Omit<
  AlertItem,
  'fingerprint' | 'cluster' | 'state' | 'activeAtMs' | 'value' | 'labels' | 'annotations'
>[] = [
  rule(
    'HCOOperatorConditionsUnhealthy',
    'critical',
    'critical',
    'max by (cluster) (kubevirt_hco_system_health_status) == 2',
    10,
  ),
  rule(
    'KubeVirtCRModified',
    'warning',
    'none',
    'sum by (cluster, component_name) (increase(kubevirt_hco_out_of_band_modifications_total[10m])) > 0',
    0,
  ),
  rule(
    'UnsupportedHCOModification',
    'info',
    'none',
    'sum by (cluster, annotation_name) (kubevirt_hco_unsafe_modifications) > 0',
    0,
  ),
  rule(
    'HCOInstallationIncomplete',
    'info',
    'critical',
    'max by (cluster) (kubevirt_hco_hyperconverged_cr_exists) == 0',
    60,
  ),
  rule(
    'HCOMisconfiguredDescheduler',
    'critical',
    'none',
    'max by (cluster) (kubevirt_hco_misconfigured_descheduler) == 1',
    0,
  ),
]

function rule(
  alertname: string,
  severity: AlertItem['severity'],
  healthImpact: AlertItem['healthImpact'],
  expr: string,
  forMinutes: number,
): Omit<AlertItem, 'fingerprint' | 'cluster' | 'state' | 'activeAtMs' | 'value' | 'labels' | 'annotations'> {
  return {
    alertname,
    severity,
    healthImpact,
    rule: { group: 'hco', file: 'alert-rules/hco.yaml', expr, forMs: forMinutes * MINUTE_MS, keepFiringForMs: 0 },
    runbook: alertname,
  }
}

const SITES = ['prague', 'brno', 'fra', 'iad', 'sin', 'gru', 'nrt']
export function clusterName(i: number): string {
  return `${SITES[i % SITES.length]!}-${['prod', 'edge', 'lab'][i % 3]!}-${i + 1}`
}

/** `count` alerts over the fleet; the first is the worst. */
export function alertItems(nowMs: number, count = 24): AlertItems {
  const alerts = Array.from({ length: count }, (_, i): AlertItem => {
    const base = RULES[i % RULES.length]!
    const cluster = clusterName(i % 23)
    const state = i % 9 === 7 ? 'pending' : i % 11 === 10 ? 'resolved' : 'firing'
    const activeAtMs = nowMs - ((i * 37) % 500) * MINUTE_MS - 40_000
    return {
      ...base,
      fingerprint: i.toString(16).padStart(16, '0'),
      cluster,
      state,
      activeAtMs,
      ...(state === 'pending' ? {} : { firedAtMs: activeAtMs + base.rule.forMs }),
      ...(state === 'resolved' ? { resolvedAtMs: nowMs - 4 * MINUTE_MS } : {}),
      value: i % 3 === 0 ? 2 : i % 7,
      labels: {
        alertname: base.alertname,
        cluster,
        severity: base.severity,
        operator_health_impact: base.healthImpact,
        kubernetes_operator_part_of: 'kubevirt',
        kubernetes_operator_component: 'hyperconverged-cluster-operator',
        ...(base.alertname === 'KubeVirtCRModified'
          ? { component_name: 'kubevirt/kubevirt-kubevirt-hyperconverged' }
          : {}),
      },
      annotations: {
        summary: `${base.alertname} on ${cluster}: the operator is not in the state it was asked for.`,
        runbook_url: `https://daytwo.example.org/rb/${base.alertname}`,
      },
      marks: marksAt(i, nowMs),
      ...(i === 22 ? { source: 'external', generatorUrl: 'https://prometheus.example.org/graph' } : {}),
    }
  })
  return { asOfMs: nowMs, alerts, failing: [] }
}

const MARKDOWN = `# KubeVirtCRModified

## Meaning

Somebody or something changed the object \`kubevirt/kubevirt-kubevirt-hyperconverged\` on **prague-prod-1** and the
operator put it back. The operator owns this object; a change made directly to it does not last.

## Impact

Until the operator has put the object back, the cluster ran with a setting nobody reviewed. Virtual machines that
started in between may keep it.

## Diagnosis

1. See what the operator put back, and when:

   \`\`\`bash kubectl
   $ kubectl -n openshift-cnv get events --field-selector involvedObject.name=kubevirt-kubevirt-hyperconverged
   \`\`\`

   \`\`\`bash oc
   $ oc -n openshift-cnv get events --field-selector involvedObject.name=kubevirt-kubevirt-hyperconverged
   \`\`\`

2. Ask who wrote the object. The field manager names the client; look for <user> in the audit log.

   \`\`\`bash kubectl
   kubectl -n openshift-cnv get kubevirt kubevirt-kubevirt-hyperconverged -o yaml --show-managed-fields
   \`\`\`

   \`\`\`bash oc
   oc -n openshift-cnv get kubevirt kubevirt-kubevirt-hyperconverged -o yaml --show-managed-fields
   \`\`\`

Changes in the last ten minutes on this cluster:

\`\`\`promql live#changes
sum by (component_name) (increase(kubevirt_hco_out_of_band_modifications_total{cluster="prague-prod-1"}[10m]))
\`\`\`

Is it only this cluster?

\`\`\`promql live#others
count by (cluster) (ALERTS{alertname="KubeVirtCRModified", alertstate="firing"})
\`\`\`

| Field manager | Who that is |
| --- | --- |
| \`kubectl-edit\` | a person |
| \`argocd-controller\` | a GitOps tool |

<script>window.hacked = true</script>

## Mitigation

Make the change in the **HyperConverged** object instead; see [the neighbour](./UnsupportedHCOModification.md) or
[the guide](https://kubevirt.io/user-guide). Never [this](javascript:alert(1)).

Did it work? This goes quiet ten minutes after the last change:

\`\`\`promql live#worked
kubevirt_hco_out_of_band_modifications_total{cluster="prague-prod-1"} == 99
\`\`\`
`

export function runbookInstance(nowMs: number, i: number): RunbookInstance {
  return {
    fingerprint: (i * 5 + 1).toString(16).padStart(16, '0'),
    cluster: i === 0 ? 'prague-prod-1' : clusterName(i),
    severity: 'warning',
    healthImpact: 'none',
    state: i === 3 ? 'pending' : 'firing',
    activeAtMs: nowMs - (3 + i * 17) * MINUTE_MS,
    value: 1 + i,
    labels: {
      component_name: i % 2 === 0 ? 'kubevirt/kubevirt-kubevirt-hyperconverged' : 'cdi/cdi-kubevirt-hyperconverged',
    },
  }
}

/** A page bound to the first of `instanceCount` alerts; with 0, the plain one. */
export function boundRunbook(nowMs: number, name: string, instanceCount: number, isBound: boolean): BoundRunbook {
  const instances = Array.from({ length: instanceCount }, (_, i) => runbookInstance(nowMs, i))
  const [first] = instances
  return {
    name,
    askedName: name,
    isRenamed: false,
    markdown: MARKDOWN,
    cells: [
      {
        id: 'changes',
        expr: 'sum by (component_name) (increase(kubevirt_hco_out_of_band_modifications_total{cluster="prague-prod-1"}[10m]))',
      },
      { id: 'others', expr: 'count by (cluster) (ALERTS{alertname="KubeVirtCRModified", alertstate="firing"})' },
      { id: 'worked', expr: 'kubevirt_hco_out_of_band_modifications_total{cluster="prague-prod-1"} == 99' },
    ],
    bindings: isBound
      ? [
          { name: 'cluster', value: 'prague-prod-1', source: 'the label cluster' },
          { name: 'namespace', value: 'openshift-cnv', source: 'the inventory of the cluster' },
          { name: 'component_object', value: 'kubevirt-kubevirt-hyperconverged', source: 'the label component_name' },
        ]
      : [],
    unbound: isBound ? ['user'] : ['cluster', 'namespace', 'user'],
    ...(isBound && first !== undefined ? { instance: first } : {}),
    instances,
    panels: [],
  }
}

export const RUNBOOKS: RunbookList = {
  pages: RULES.map(({ alertname }) => ({
    name: alertname,
    summary: 'The operator is not as it was asked to be.',
    hasRule: true,
    firing: 3,
  })),
}

export function queryAnswer(expr: string, nowMs: number): QueryAnswer {
  const at = nowMs / 1000
  if (expr.includes('== 99')) return vector([])
  if (expr.includes('ALERTS')) {
    return vector(
      Array.from({ length: 14 }, (_, i) => ({ metric: { cluster: clusterName(i) }, value: [at, String(1 + (i % 3))] })),
    )
  }
  return vector([{ metric: { component_name: 'kubevirt/kubevirt-kubevirt-hyperconverged' }, value: [at, '3'] }])
}

type VectorResult = Extract<QueryAnswer['data'], { resultType: 'vector' }>['result']

function vector(result: VectorResult): QueryAnswer {
  return { status: 'success', data: { resultType: 'vector', result } }
}

export function rangeAnswer(startSeconds: number, endSeconds: number, stepSeconds: number): QueryAnswer {
  const steps = Math.floor((endSeconds - startSeconds) / stepSeconds) + 1
  const line = (seed: number): [number, string][] =>
    Array.from({ length: steps }, (_, i) => [
      startSeconds + i * stepSeconds,
      String(40 + seed * 12 + 6 * Math.sin(i / 9 + seed)),
    ])
  return {
    status: 'success',
    data: {
      resultType: 'matrix',
      result: [0, 1, 2].map((seed) => ({ metric: { kubeversion: `1.${4 - seed}.0` }, values: line(seed) })),
    },
  }
}
