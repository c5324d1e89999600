import { useEffect, useRef, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { AlertItem } from '../../contract/alerts.ts'
import { marksOf } from '../lib/alert-marks.ts'
import type { AlertAction } from '../lib/alert-view.ts'
import { atMoment } from '../lib/moment.ts'
import { alertPath, alertsPath, resolvedPath, rulePath, runbookPath, silencesPath, promqlPath } from '../lib/paths.ts'
import { linkTarget } from '../lib/safe-href.ts'
import { useMoment } from '../query/use-moment.ts'
import { useUnacknowledge } from '../query/use-alert-actions.ts'
import { alertBundleCall } from '../query/use-bundle.ts'
import { useRunbook } from '../query/use-runbook.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Icon } from '../ui/icon.tsx'
import { AlertMarkList, ImpactMark, SeverityMark, StateMark } from '../ui/marks.tsx'
import { Notice } from '../ui/notice.tsx'
import { Since, Moment } from '../ui/time.tsx'
import { formatAge } from '../lib/format-time.ts'
import { formatAlertValue } from '../lib/format-number.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { FactList, type Fact } from '../ui/fact-list.tsx'
import { PromqlText } from '../ui/promql-text.tsx'
import styles from './alert-detail.module.css'
import { AlertSituation, PastSituation } from './alert-situation.tsx'
import { Answer } from './answer.tsx'
import { BundleButton } from './bundle-button.tsx'
import { ClusterLink } from './cluster-link.tsx'
import { ActionFailure } from './action-form.tsx'
import { RunbookBody } from './runbook-body.tsx'
import { ApiCallNote } from './api-call-note.tsx'

interface AlertDetailProps {
  readonly alert: AlertItem
  readonly onClose: () => void
  readonly onAction: (action: AlertAction) => void
}

/** One alert: situation, actions, runbook and facts. */
export function AlertDetail({ alert, onClose, onAction }: AlertDetailProps): ReactNode {
  // A past alert can be neither acknowledged nor silenced, and the API has the details of present alerts only.
  const isPast = useMoment() !== undefined
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // On a phone the list disappears, and its focus with it; beside the list the focus stays.
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body || !activeElement.checkVisibility()) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [alert.fingerprint])
  const summary = alert.annotations['summary'] ?? alert.annotations['description']
  const description = alert.annotations['description']
  return (
    <article className={styles.root} aria-labelledby="detail-title">
      <header className={styles.head}>
        <div className={classNames(styles.title, 'row row-nowrap row-apart')}>
          <h2 id="detail-title" ref={heading} tabIndex={-1} data-arrival="">
            <AlertName name={alert.alertname} />
          </h2>
          <Button
            variant="plain"
            aria-label="Close the alert"
            onClick={onClose}
            icon={<Icon name="cross" />}
            className={styles.close ?? ''}
          />
        </div>
        <p className="row row-text spaced">
          <SeverityMark severity={alert.severity} />
          <ImpactMark impact={alert.healthImpact} />
          <StateMark state={alert.state} />
          <AlertMarkList marks={marksOf(alert).filter(({ kind }) => kind === 'external')} />
          <span>
            {alert.resolvedAtMs === undefined ? 'for ' : ''}
            <Since
              atMs={alert.resolvedAtMs ?? alert.firedAtMs ?? alert.activeAtMs}
              suffix={alert.resolvedAtMs === undefined ? '' : ' ago'}
            />{' '}
            on <ClusterLink cluster={alert.cluster} none="an unnamed cluster" />
          </span>
        </p>
        {summary === undefined ? null : <p className="narrow">{summary}</p>}
        {description === undefined || description === summary ? null : <p className="quiet">{description}</p>}
        <HeldBack alert={alert} isPast={isPast} />
        <div className={classNames(styles.actions, 'row row-controls spaced')}>
          {isPast ? (
            <Link href={atMoment(alertPath(alert.fingerprint), undefined)}>Show current state</Link>
          ) : (
            <>
              {alert.marks?.acknowledged === undefined ? (
                <Button
                  variant="primary"
                  isDisabled={alert.state === 'resolved'}
                  onClick={() => {
                    onAction('acknowledge')
                  }}
                >
                  Acknowledge <kbd aria-hidden="true">a</kbd>
                </Button>
              ) : null}
              <Button
                onClick={() => {
                  onAction('silence')
                }}
              >
                Silence <kbd aria-hidden="true">s</kbd>
              </Button>
            </>
          )}
          {isPast ? null : <BundleButton call={alertBundleCall(alert.fingerprint, alert.activeAtMs)} />}
          {alert.rule.expr === '' ? null : <Link href={rulePath(alert.alertname)}>Rule, tests and back-test</Link>}
          <Link href={resolvedPath({ alert: alert.alertname, cluster: alert.cluster })}>Previous occurrences</Link>
          {alert.cluster === '' ? null : (
            <Link href={alertsPath({ cluster: alert.cluster })}>All alerts of the cluster</Link>
          )}
        </div>
      </header>
      {isPast ? <PastSituation alert={alert} /> : <AlertSituation alert={alert} />}
      <div className={styles.body}>
        <section className={styles.runbook} id="runbook" aria-label="Runbook" tabIndex={-1}>
          {alert.runbook === undefined ? <NoRunbook alert={alert} /> : <BoundPage alert={alert} name={alert.runbook} />}
        </section>
        <AlertFacts alert={alert} />
      </div>
    </article>
  )
}

/** Why the alert is suppressed or who acknowledged it, each with a link or an undo. */
function HeldBack({ alert, isPast }: { readonly alert: AlertItem; readonly isPast: boolean }): ReactNode {
  const undo = useUnacknowledge()
  const marks = marksOf(alert).filter(({ kind }) => kind !== 'external')
  if (marks.length === 0) return null
  const silence = alert.marks?.silencedBy[0]
  const acknowledged = alert.marks?.acknowledged
  return (
    <ul className={classNames(styles.heldBack, 'spaced')} aria-label="Suppressed by">
      {marks.map((mark) => (
        <li key={mark.kind}>
          <AlertMarkList marks={[{ ...mark, reason: '' }]} /> {mark.reason}.
          {mark.kind === 'silenced' && silence !== undefined ? (
            <>
              {' '}
              <Link href={silencesPath(silence)}>Show the silence</Link>
            </>
          ) : null}
          {mark.kind === 'acknowledged' && acknowledged !== undefined ? (
            <>
              {' '}
              <span className="quiet">
                <Since atMs={acknowledged.atMs} suffix=" ago" />
              </span>{' '}
              {isPast ? null : (
                <Button
                  variant="inline"
                  isDisabled={undo.isPending}
                  onClick={() => {
                    undo.mutate([alert.fingerprint])
                  }}
                >
                  Remove acknowledgement
                </Button>
              )}
              {undo.error === null ? null : <ActionFailure what="remove the acknowledgement" failure={undo.error} />}
            </>
          ) : null}
        </li>
      ))}
    </ul>
  )
}

function BoundPage({ alert, name }: { readonly alert: AlertItem; readonly name: string }): ReactNode {
  const runbook = useRunbook(name, alert.fingerprint)
  return (
    <Answer query={runbook} what="the runbook" skeletonLines={12}>
      {(bound) => (
        <RunbookBody
          bound={bound}
          sectionLevel={3}
          isBesideAlert
          extra={<Link href={runbookPath(name, alert.fingerprint)}>Open as a page</Link>}
        />
      )}
    </Answer>
  )
}

/** An external alert may have its own runbook link. */
function NoRunbook({ alert }: { readonly alert: AlertItem }): ReactNode {
  const target = linkTarget(alert.annotations['runbook_url'] ?? '')
  return (
    <Notice kind="note" title="No runbook for this alert">
      {target?.kind === 'outside' ? (
        <>
          Runbook link in the annotations:{' '}
          <a href={target.url} rel="noreferrer" target="_blank">
            {target.url}
          </a>
        </>
      ) : (
        <Link href={runbookPath(alert.alertname, alert.fingerprint)}>Start a runbook from a template</Link>
      )}
    </Notice>
  )
}

/** Shown in the head of the alert. */
const HIDDEN_ANNOTATIONS = new Set(['summary', 'description'])

/** Times, labels, annotations and rule of an alert. */
function AlertFacts({ alert }: { readonly alert: AlertItem }): ReactNode {
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
            ? 'Not stored: the rule may have changed since then.'
            : `No rule of this server: the alert was received from ${alert.generatorUrl ?? 'an external source'}.`}
        </p>
      ) : (
        <RuleFacts rule={rule} />
      )}
      <ApiCallNote call={{ path: `/api/fleet/v1/alerts/${alert.fingerprint}` }} />
    </section>
  )
}

function RuleFacts({ rule }: Pick<AlertItem, 'rule'>): ReactNode {
  return (
    <>
      <CodeBlock what="expression" text={rule.expr} bar={<Link href={promqlPath(rule.expr)}>Open in Explore</Link>}>
        <PromqlText expr={rule.expr} />
      </CodeBlock>
      <FactList
        facts={[
          { name: 'for', value: rule.forMs === 0 ? 'fires immediately' : formatAge(rule.forMs) },
          rule.keepFiringForMs === 0 ? undefined : { name: 'keep firing for', value: formatAge(rule.keepFiringForMs) },
          { name: 'group', value: rule.group },
          { name: 'file', value: rule.file },
        ]}
      />
    </>
  )
}

function timesOf({ activeAtMs, firedAtMs, resolvedAtMs, value }: AlertItem): readonly (Fact | undefined)[] {
  return [
    { name: 'active since', value: <Moment atMs={activeAtMs} /> },
    firedAtMs === undefined ? undefined : { name: 'fired', value: <Moment atMs={firedAtMs} /> },
    resolvedAtMs === undefined ? undefined : { name: 'resolved', value: <Moment atMs={resolvedAtMs} /> },
    { name: 'value', value: <span title={String(value)}>{formatAlertValue(value)}</span> },
  ]
}
