import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { AlertItem } from '../../contract/alerts.ts'
import { formatAge } from '../lib/format-time.ts'
import { formatAlertValue } from '../lib/format-number.ts'
import { promqlPath } from '../lib/paths.ts'
import { useMoment } from '../query/use-moment.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { FactList, type Fact } from '../ui/fact-list.tsx'
import { PromqlText } from '../ui/promql-text.tsx'
import { Moment } from '../ui/time.tsx'
import styles from './alert-detail.module.css'
import { ApiCallNote } from './api-call-note.tsx'

/** Shown in the head of the alert. */
const HIDDEN_ANNOTATIONS = new Set(['summary', 'description'])

/** Times, labels, annotations and rule of an alert. */
export function AlertFacts({ alert }: { readonly alert: AlertItem }): ReactNode {
  const { rule } = alert
  const isPast = useMoment() !== undefined
  const annotations = Object.entries(alert.annotations).filter(([name]) => !HIDDEN_ANNOTATIONS.has(name))
  return (
    <section className={styles.facts} id="facts" aria-label="Facts">
      <h3 className="panel-part-head">When</h3>
      <FactList facts={timesOf(alert)} />
      <h3 className="panel-part-head">Labels</h3>
      <FactList isStacked facts={Object.entries(alert.labels).map(([name, value]) => ({ name, value }))} />
      {annotations.length === 0 ? null : (
        <>
          <h3 className="panel-part-head">Annotations</h3>
          <FactList isStacked facts={annotations.map(([name, value]) => ({ name, value }))} />
        </>
      )}
      <h3 className="panel-part-head">Rule</h3>
      {rule.expr === '' ? (
        <p className="quiet">
          {isPast
            ? 'Not kept: it may have been another one then.'
            : `None here: somebody else sent it${alert.generatorUrl === undefined ? '' : `, ${alert.generatorUrl}`}.`}
        </p>
      ) : (
        <RuleFacts alert={alert} />
      )}
      <ApiCallNote call={{ path: `/api/fleet/v1/alerts/${alert.fingerprint}` }} />
    </section>
  )
}

function RuleFacts({ alert: { rule } }: { readonly alert: AlertItem }): ReactNode {
  return (
    <>
      <CodeBlock what="expression" text={rule.expr} bar={<Link href={promqlPath(rule.expr)}>Open in Explore</Link>}>
        <PromqlText expr={rule.expr} />
      </CodeBlock>
      <FactList
        facts={[
          { name: 'for', value: rule.forMs === 0 ? 'fires at once' : formatAge(rule.forMs) },
          ...(rule.keepFiringForMs === 0 ? [] : [{ name: 'keep firing for', value: formatAge(rule.keepFiringForMs) }]),
          { name: 'group', value: rule.group },
          { name: 'file', value: rule.file },
        ]}
      />
    </>
  )
}

function timesOf(alert: AlertItem): Fact[] {
  const facts: Fact[] = [{ name: 'active since', value: <Moment atMs={alert.activeAtMs} /> }]
  if (alert.firedAtMs !== undefined) facts.push({ name: 'fired', value: <Moment atMs={alert.firedAtMs} /> })
  if (alert.resolvedAtMs !== undefined) facts.push({ name: 'resolved', value: <Moment atMs={alert.resolvedAtMs} /> })
  facts.push({ name: 'value', value: <span title={String(alert.value)}>{formatAlertValue(alert.value)}</span> })
  return facts
}
