import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { CLUSTER_ALIASES, CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import { countOf, formatValue, parseValue } from '../lib/format-number.ts'
import { SHOWN_ELSEWHERE } from '../lib/alert-labels.ts'
import { alertPath } from '../lib/paths.ts'
import type { AlertingRule } from '../lib/rule-list.ts'
import { useAlerts } from '../query/use-fleet.ts'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { StateMark } from '../ui/marks.tsx'
import { Since } from '../ui/time.tsx'
import { ClusterLink } from './cluster-link.tsx'

const SHOWN_MAX = 50

const CLUSTER_NAMES = [CLUSTER_LABEL, ...CLUSTER_ALIASES]

/** The alerts of a rule, as its last evaluation left them. */
export function RuleAlerts({ rules }: { readonly rules: readonly AlertingRule[] }): ReactNode {
  const known = useAlerts().data?.alerts ?? []
  const alerts = rules.flatMap((rule) => rule.alerts)
  if (alerts.length === 0) return <p className="quiet empty">No active alerts.</p>
  const fingerprintOf = (labels: Readonly<Record<string, string>>): string | undefined =>
    known.find(
      (alert) =>
        Object.keys(alert.labels).length === Object.keys(labels).length &&
        Object.entries(labels).every(([name, value]) => alert.labels[name] === value),
    )?.fingerprint
  return (
    <>
      <DataTable
        label="Alerts of the rule"
        columns={COLUMNS}
        rows={alerts.slice(0, SHOWN_MAX).map((alert) => ({
          ...alert,
          fingerprint: fingerprintOf(alert.labels),
          cluster: CLUSTER_NAMES.map((name) => alert.labels[name] ?? '').find((one) => one !== '') ?? '',
          text: Object.entries(alert.labels)
            .filter(([name]) => !SHOWN_ELSEWHERE.has(name) && !name.startsWith('kubernetes_operator_'))
            .map(([name, one]) => `${name}="${one}"`)
            .join('  '),
        }))}
        rowKey={({ cluster, text, activeAt }) => `${cluster} ${text} ${activeAt}`}
      />
      {alerts.length > SHOWN_MAX ? (
        <p className="quiet rest">
          The first {SHOWN_MAX} of {countOf(alerts.length, 'alert')}.
        </p>
      ) : null}
    </>
  )
}

type RuleAlert = AlertingRule['alerts'][number] & {
  /** Absent while the list of alerts lacks the alert. */
  readonly fingerprint: string | undefined
  readonly cluster: string
  /** The other labels. */
  readonly text: string
}

const COLUMNS: readonly Column<RuleAlert>[] = [
  {
    head: 'State',
    cell: ({ fingerprint, state }) =>
      fingerprint === undefined ? (
        <StateMark state={state} />
      ) : (
        <Link href={alertPath(fingerprint)}>
          <StateMark state={state} />
        </Link>
      ),
  },
  {
    head: 'Cluster',
    cell: ({ cluster, text }) => (
      <>
        <ClusterLink cluster={cluster} /> <span className="quiet">{text}</span>
      </>
    ),
  },
  { head: 'Active', kind: 'number', cell: ({ activeAt }) => <Since atMs={Date.parse(activeAt)} /> },
  { head: 'Value', kind: 'number', cell: ({ value }) => formatValue(parseValue(value)), title: ({ value }) => value },
]
