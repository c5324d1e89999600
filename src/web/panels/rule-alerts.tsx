import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { CLUSTER_ALIASES, CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import { clusterPath } from '../lib/fleet-paths.ts'
import { countOf, formatValue, parseValue } from '../lib/format-number.ts'
import { SHOWN_ELSEWHERE } from '../lib/own-labels.ts'
import { alertPath } from '../lib/paths.ts'
import type { AlertingRule } from '../lib/rule-list.ts'
import { useAlerts } from '../query/use-fleet.ts'
import { StateMark } from '../ui/marks.tsx'
import { Since } from '../ui/time.tsx'

const SHOWN_MAX = 50

const CLUSTER_NAMES = [CLUSTER_LABEL, ...CLUSTER_ALIASES]

/** The alerts of a rule, as its last evaluation left them. */
export function RuleAlerts({ rules }: { readonly rules: readonly AlertingRule[] }): ReactNode {
  const known = useAlerts().data?.alerts ?? []
  const alerts = rules.flatMap((rule) => rule.alerts)
  if (alerts.length === 0) return <p className="quiet empty">None: the condition holds nowhere.</p>
  const fingerprintOf = (labels: Readonly<Record<string, string>>): string | undefined =>
    known.find(
      (alert) =>
        Object.keys(alert.labels).length === Object.keys(labels).length &&
        Object.entries(labels).every(([name, value]) => alert.labels[name] === value),
    )?.fingerprint
  return (
    <>
      <table className="data-table" aria-label="Alerts of the rule">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Where</th>
            <th scope="col" className="cell-number">
              Active
            </th>
            <th scope="col" className="cell-number">
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {alerts.slice(0, SHOWN_MAX).map(({ labels, state, activeAt, value }) => {
            const fingerprint = fingerprintOf(labels)
            const cluster = CLUSTER_NAMES.map((name) => labels[name] ?? '').find((one) => one !== '') ?? ''
            const text = Object.entries(labels)
              .filter(([name]) => !SHOWN_ELSEWHERE.has(name) && !name.startsWith('kubernetes_operator_'))
              .map(([name, one]) => `${name}="${one}"`)
              .join('  ')
            return (
              <tr key={`${cluster} ${text} ${activeAt}`}>
                <td>
                  {fingerprint === undefined ? (
                    <StateMark state={state} />
                  ) : (
                    <Link href={alertPath(fingerprint)}>
                      <StateMark state={state} />
                    </Link>
                  )}
                </td>
                <td className="cell-wraps">
                  {cluster === '' ? 'no cluster' : <Link href={clusterPath(cluster)}>{cluster}</Link>}{' '}
                  <span className="quiet">{text}</span>
                </td>
                <td className="cell-number">
                  <Since atMs={Date.parse(activeAt)} />
                </td>
                <td className="cell-number nums" title={value}>
                  {formatValue(parseValue(value))}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {alerts.length > SHOWN_MAX ? (
        <p className="quiet rest">
          The first {SHOWN_MAX} of {countOf(alerts.length, 'alert')}.
        </p>
      ) : null}
    </>
  )
}
