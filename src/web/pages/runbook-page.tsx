import type { ReactNode } from 'react'
import { Link, useSearch } from 'wouter'
import type { AlertDetail } from '../../contract/alerts.ts'
import type { BoundRunbook, RunbookInstance } from '../../contract/runbooks.ts'
import { formatAlertValue, formatCount } from '../lib/format-number.ts'
import { alertPath, alertsPath, ROUTES, runbookPath } from '../lib/paths.ts'
import { Changes, Trait } from '../panels/alert-situation.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { ClusterLink } from '../panels/cluster-link.tsx'
import { AuthorOutcomes, WhatWorked } from '../panels/outcomes.tsx'
import { PreviousOccurrences } from '../panels/previous-occurrences.tsx'
import { RunbookBody } from '../panels/runbook-body.tsx'
import { RunbookChooser } from '../panels/runbook-chooser.tsx'
import { WorkPanel } from '../panels/work-panel.tsx'
import { toFailure } from '../query/fetch-json.ts'
import { useAlertDetail } from '../query/use-alert.ts'
import { nearestNames, runbookCall, useRunbook } from '../query/use-runbook.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { ImpactMark, SeverityMark, StateMark } from '../ui/marks.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { saveFile } from '../ui/save-file.ts'
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
  const { name, instance, instances, template } = bound
  const isLost = asked !== undefined && instance === undefined
  const isChosen = instance !== undefined || instances.length === 0
  return (
    <>
      {instance === undefined ? null : <InstanceLine instance={instance} />}
      {isLost ? (
        <Notice kind="note" title="The alert of this link is no longer active">
          The alert has resolved. The runbook below is not filled in for an alert.
        </Notice>
      ) : null}
      {instances.length === 0 && !isLost ? (
        <Notice kind="note" title="This alert is not firing on any cluster">
          {template === undefined
            ? 'Values in angle brackets are placeholders: replace them before you run a command.'
            : null}
        </Notice>
      ) : null}
      <div className={classNames(styles.columns, 'columns')}>
        <div>
          {isChosen ? null : <RunbookChooser name={name} instances={instances} />}
          {isChosen || template !== undefined ? null : <h2 className="quiet spaced">Runbook (no alert selected)</h2>}
          {template === undefined ? (
            <RunbookBody bound={bound} sectionLevel={2} />
          ) : (
            <RunbookStart name={name} template={template} />
          )}
          {instance === undefined && template === undefined ? <AuthorOutcomes name={name} /> : null}
        </div>
        <aside aria-label="The alert">
          {instance === undefined ? null : <WorkPanel run={instance} />}
          <Panel title="What worked last time">
            <WhatWorked name={name} />
          </Panel>
          {instance === undefined ? null : <InstancePanels bound={bound} instance={instance} />}
          <Panel title="Previous occurrences">
            <PreviousOccurrences alertname={name} cluster={instance?.cluster} />
          </Panel>
        </aside>
      </div>
    </>
  )
}

/** The alert, the changes before it, and the other clusters that have it. */
function InstancePanels({
  bound,
  instance,
}: {
  readonly bound: BoundRunbook
  readonly instance: RunbookInstance
}): ReactNode {
  const query = useAlertDetail(instance.fingerprint)
  const { data, error } = query
  const labels = Object.entries(data?.alert.labels ?? instance.labels)
  const { summary, description } = data?.alert.annotations ?? {}
  return (
    <>
      <Panel title="This alert">
        {summary === undefined ? null : <p className="spaced">{summary}</p>}
        {description === undefined || bound.template === undefined ? null : <p className="spaced">{description}</p>}
        <FactList
          isStacked
          facts={[
            { name: 'active since', value: <Moment atMs={instance.activeAtMs} /> },
            { name: 'value', value: <span title={String(instance.value)}>{formatAlertValue(instance.value)}</span> },
            ...labels.map(([label, value]) => ({ name: label, value })),
          ]}
        />
      </Panel>
      <Panel title="What changed before this alert">
        {data === undefined ? (
          <p className="quiet">
            {error === null ? 'Loading the changes…' : `Could not load the changes: ${toFailure(error).message}`}
          </p>
        ) : (
          <Changes detail={data} />
        )}
      </Panel>
      <Others bound={bound} open={instance} shared={data?.elsewhere.shared ?? []} />
    </>
  )
}

const OTHERS_MAX = 10
const TRAITS_MAX = 3

interface OthersProps {
  readonly bound: BoundRunbook
  readonly open: RunbookInstance
  /** What the clusters with the alert have in common, the most telling first. */
  readonly shared: AlertDetail['elsewhere']['shared']
}

/** Links to the runbook for the same alert on other clusters. */
function Others({ bound, open, shared }: OthersProps): ReactNode {
  const others = bound.instances.filter(({ fingerprint }) => fingerprint !== open.fingerprint)
  const active = others.filter(({ state, cluster }) => state !== 'resolved' && cluster !== open.cluster)
  const clusters = new Set(active.map(({ cluster }) => cluster)).size
  return (
    <Panel title="Other clusters with this alert" aside={formatCount(clusters)}>
      {clusters === 0 ? <p>No other cluster has this alert now.</p> : null}
      {shared.length === 0 || clusters === 0 ? null : (
        <ul className="plain-list">
          {shared.slice(0, TRAITS_MAX).map((trait) => (
            <Trait key={`${trait.label} ${trait.value}`} trait={trait} />
          ))}
        </ul>
      )}
      <ul className={styles.others}>
        {others.slice(0, OTHERS_MAX).map(({ fingerprint, cluster, state, activeAtMs }) => (
          <li key={fingerprint} className="row row-apart">
            <Link href={runbookPath(bound.name, fingerprint)}>{cluster === '' ? 'no cluster' : cluster}</Link>
            <span className="quiet">
              {state} <Since atMs={activeAtMs} />
            </span>
          </li>
        ))}
      </ul>
      {others.length > OTHERS_MAX ? (
        <Link href={alertsPath({ alertname: bound.name })}>All {formatCount(others.length + 1)} alerts</Link>
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
        {instance.state === 'resolved' ? (
          <>
            started <Since atMs={instance.activeAtMs} suffix=" ago" />
          </>
        ) : (
          <>
            for <Since atMs={instance.activeAtMs} />
          </>
        )}{' '}
        on <ClusterLink cluster={instance.cluster} none="an unnamed cluster" />
      </span>
      <Link href={alertPath(instance.fingerprint)}>Acknowledge or silence</Link>
    </p>
  )
}

/** An alert without a runbook: how to write one. */
function RunbookStart({ name, template }: { readonly name: string; readonly template: string }): ReactNode {
  // Names come from senders: only one that a shell and a folder take as it is becomes a command and a file.
  const file = /^[A-Za-z_][\w-]*$/.test(name) ? `${name}.md` : undefined
  return (
    <Panel title="No runbook for this alert">
      <p className="narrow">
        This alert is a rule of your team, or comes from a cluster. Everything else on this page works without a
        runbook. To start one, run this command where Daytwo and its rules are installed, or save the template into the
        folder of runbooks:
      </p>
      {file === undefined ? null : (
        <CodeBlock what="command" text={`daytwo runbook new ${name}`}>
          daytwo runbook new {name}
        </CodeBlock>
      )}
      <CodeBlock
        what="template"
        text={template}
        bar={
          <Button
            variant="inline"
            onClick={() => {
              saveFile(file ?? 'runbook.md', template, 'text/markdown')
            }}
          >
            Save as {file ?? 'a file'}
          </Button>
        }
      >
        {template}
      </CodeBlock>
    </Panel>
  )
}

function UnknownPage({ name, nearest }: { readonly name: string; readonly nearest: readonly string[] }): ReactNode {
  return (
    <Notice kind="note" title={`No runbook, rule or alert has the name ${name}`}>
      {nearest.length === 0 ? null : (
        <>
          <p>Similar names:</p>
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
