import type { ReactNode } from 'react'
import { Link, useSearch } from 'wouter'
import type { BoundRunbook, RunbookInstance } from '../../contract/runbooks.ts'
import { formatCount, formatValue } from '../lib/format-number.ts'
import { alertPath, alertsPath, ROUTES, runbookPath } from '../lib/paths.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { ClusterLink } from '../panels/cluster-link.tsx'
import { RunbookBody } from '../panels/runbook-body.tsx'
import { RunbookChooser } from '../panels/runbook-chooser.tsx'
import { toFailure } from '../query/fetch-json.ts'
import { nearestNames, runbookCall, useRunbook } from '../query/use-runbook.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { classNames } from '../ui/class-names.ts'
import { FactList } from '../ui/fact-list.tsx'
import { ImpactMark, SeverityMark, StateMark } from '../ui/marks.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { Moment, Since } from '../ui/time.tsx'
import styles from './runbook-page.module.css'

/** The target of an alert's link: the runbook, bound to the alert. */
export function RunbookPage({ name }: { readonly name: string }): ReactNode {
  const asked = new URLSearchParams(useSearch()).get('instance') ?? undefined
  const query = useRunbook(name, asked)
  const nearest = query.error === null ? undefined : nearestNames(toFailure(query.error))
  const isUnknown = nearest !== undefined && query.data === undefined
  return (
    <div className={classNames(styles.root, 'page')}>
      <title>{`${query.data?.name ?? name} · Daytwo`}</title>
      <h1>
        <AlertName name={query.data?.name ?? name} />
      </h1>
      {isUnknown ? (
        <UnknownPage name={name} nearest={nearest} />
      ) : (
        <Answer query={query} what="the runbook" skeletonLines={14}>
          {(bound) => <Page bound={bound} asked={asked} />}
        </Answer>
      )}
      <ApiCallNote call={{ path: runbookCall(name, asked) }} />
    </div>
  )
}

function Page({ bound, asked }: { readonly bound: BoundRunbook; readonly asked: string | undefined }): ReactNode {
  const { instance, instances } = bound
  const isLost = asked !== undefined && instance === undefined
  return (
    <>
      {instance === undefined ? null : <InstanceLine instance={instance} />}
      {isLost ? (
        <Notice kind="note" title="The alert in this link is gone">
          It has resolved a while ago. What follows is the page without an alert.
        </Notice>
      ) : null}
      {instance === undefined && instances.length > 0 ? (
        <>
          <RunbookChooser name={bound.name} instances={instances} />
          <h2 className="quiet spaced">The page, before you choose</h2>
        </>
      ) : null}
      {instance === undefined && instances.length === 0 && !isLost ? (
        <Notice kind="note" title="Not firing anywhere in the fleet now">
          This is the plain page: what stands in angle brackets is for you to fill in.
        </Notice>
      ) : null}
      <div className={classNames(styles.columns, 'columns')}>
        <RunbookBody bound={bound} sectionLevel={2} />
        {instance === undefined ? null : (
          <aside aria-label="The alert">
            <Panel title="This alert">
              <FactList
                isStacked
                facts={[
                  { name: 'active since', value: <Moment atMs={instance.activeAtMs} /> },
                  { name: 'value', value: <span title={String(instance.value)}>{formatValue(instance.value)}</span> },
                  ...Object.entries(instance.labels).map(([label, value]) => ({ name: label, value })),
                ]}
              />
            </Panel>
            <Others bound={bound} open={instance.fingerprint} />
          </aside>
        )}
      </div>
    </>
  )
}

const OTHERS_MAX = 10

/** Links to the runbook for the same alert on other clusters. */
function Others({ bound, open }: { readonly bound: BoundRunbook; readonly open: string }): ReactNode {
  const others = bound.instances.filter(({ fingerprint }) => fingerprint !== open)
  if (others.length === 0) return null
  return (
    <Panel title="The same alert elsewhere" aside={formatCount(others.length)}>
      <ul className={styles.others}>
        {others.slice(0, OTHERS_MAX).map(({ fingerprint, cluster, activeAtMs }) => (
          <li key={fingerprint} className="row row-apart">
            <Link href={runbookPath(bound.name, fingerprint)}>{cluster === '' ? 'no cluster' : cluster}</Link>
            <Since atMs={activeAtMs} />
          </li>
        ))}
      </ul>
      {others.length > OTHERS_MAX ? (
        <Link href={alertsPath({ alertname: bound.name })}>All {formatCount(others.length + 1)}</Link>
      ) : null}
    </Panel>
  )
}

function InstanceLine({ instance }: { readonly instance: RunbookInstance }): ReactNode {
  return (
    <p className="row row-text spaced">
      <SeverityMark severity={instance.severity} />
      <ImpactMark impact={instance.healthImpact} />
      <StateMark state={instance.state} />
      <span>
        for <Since atMs={instance.activeAtMs} /> on <ClusterLink cluster={instance.cluster} none="an unnamed cluster" />
      </span>
      <Link href={alertPath(instance.fingerprint)}>Open among the alerts</Link>
    </p>
  )
}

function UnknownPage({ name, nearest }: { readonly name: string; readonly nearest: readonly string[] }): ReactNode {
  return (
    <Notice kind="note" title={`There is no runbook called ${name}`}>
      {nearest.length === 0 ? null : (
        <>
          <p>The nearest names:</p>
          <ul>
            {nearest.map((other) => (
              <li key={other}>
                <Link href={runbookPath(other)}>{other}</Link>
              </li>
            ))}
          </ul>
        </>
      )}
      <Link href={ROUTES.alerts}>All alerts</Link>
    </Notice>
  )
}
