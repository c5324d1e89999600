import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { OutcomesAnswer, StepOutcomeItem } from '../../contract/runbook-work.ts'
import { countOf, formatCount, formatShare } from '../lib/format-number.ts'
import { endedText, endText, quantileText, timesText, timesTitle, workingSteps } from '../lib/outcome-text.ts'
import { outcomePath, reviewPath } from '../lib/paths.ts'
import { useOutcomes } from '../query/use-runbook-work.ts'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { Panel } from '../ui/panel.tsx'
import { Moment, Since } from '../ui/time.tsx'
import { Answer } from './answer.tsx'
import { ClusterLink } from './cluster-link.tsx'

export const OUTCOME_DAYS = 365
const WORKING_MAX = 3

/** In a few lines, beside a runbook: what worked the last times. */
export function WhatWorked({ name }: { readonly name: string }): ReactNode {
  const query = useOutcomes(name, OUTCOME_DAYS)
  return (
    <Answer query={query} what="the outcomes" skeletonLines={2}>
      {(outcomes) => {
        const { summary } = outcomes
        const steps = workingSteps(outcomes)
        if (summary.runs === 0) return <p>No occurrence is stored.</p>
        return (
          <>
            <p className="nums" title={timesTitle(summary.resolve)}>
              {countOf(summary.runs, 'occurrence')}, time to resolve p50 {quantileText(summary.resolve.p50Seconds)}.
              Ended by: {endedText(summary)}.
            </p>
            {steps.length === 0 ? (
              <p className="quiet">
                {summary.worked === 0 ? 'No step was recorded yet.' : 'No step was marked as the fix yet.'}
              </p>
            ) : (
              <ol className="plain-list" aria-label="Steps that fixed it">
                {steps.slice(0, WORKING_MAX).map(({ key, text, helped, ticked }) => (
                  <li key={key}>
                    <strong className="nums">
                      Fixed {formatCount(helped)} of {formatCount(ticked)}
                    </strong>{' '}
                    {text}
                  </li>
                ))}
              </ol>
            )}
            <p>
              <Link href={outcomePath(name)}>All outcomes</Link>
            </p>
          </>
        )
      }}
    </Answer>
  )
}

/** Below a runbook that is open for no alert: what its author wants to know. */
export function AuthorOutcomes({ name }: { readonly name: string }): ReactNode {
  const query = useOutcomes(name, OUTCOME_DAYS)
  if (query.data?.summary.runs === 0) return null
  return (
    <Answer query={query} what="the outcomes" skeletonLines={6}>
      {(outcomes) => <Outcomes outcomes={outcomes} />}
    </Answer>
  )
}

/** Steps, revisions, and the last occurrences with recorded work. */
export function Outcomes({ outcomes }: { readonly outcomes: OutcomesAnswer }): ReactNode {
  const { summary, steps, revisions, worked, isPartial, fromMs } = outcomes
  return (
    <>
      <Panel title="Outcomes" aside={`since ${new Date(fromMs).toISOString().slice(0, 10)}`}>
        <p className="nums">
          {isPartial ? 'The newest ' : ''}
          {countOf(summary.runs, 'occurrence')}, {formatCount(summary.worked)} with recorded work
          {summary.firing === 0 ? '' : `, ${formatCount(summary.firing)} firing`}. Ended by: {endedText(summary)};{' '}
          {formatCount(summary.stated)} stated by a person, the others derived.
        </p>
        <p className="nums">
          <span title={timesTitle(summary.acknowledge)}>Time to acknowledge: {timesText(summary.acknowledge)}</span>.{' '}
          <span title={timesTitle(summary.resolve)}>Time to resolve: {timesText(summary.resolve)}</span>.
        </p>
      </Panel>
      {steps.length === 0 ? null : (
        <Panel title="Steps" aside="steps that never helped first">
          <DataTable
            label="Steps"
            columns={STEP_COLUMNS}
            rows={steps}
            rowKey={({ key }) => key}
            csvName="runbook-steps"
          />
        </Panel>
      )}
      {revisions.length === 0 ? null : (
        <Panel title="Revisions" aside="newest first">
          <DataTable
            label="Revisions"
            columns={REVISION_COLUMNS}
            rows={revisions}
            rowKey={({ revision }) => revision ?? ''}
            isScrollable
          />
        </Panel>
      )}
      {worked.length === 0 ? null : (
        <Panel title="Occurrences with recorded work" aside={formatCount(worked.length)}>
          <DataTable
            label="Occurrences with recorded work"
            columns={WORKED_COLUMNS}
            rows={worked}
            rowKey={({ run }) => `${run.fingerprint} ${run.activeAtMs}`}
          />
        </Panel>
      )}
    </>
  )
}

/** `ticked 4 of 5`: of the occurrences with recorded work and with this step. */
function helpText({ section, of, ticked, helped, isCurrent }: StepOutcomeItem): ReactNode {
  if (of === 0) return <span className="quiet">no recorded work</span>
  if (helped === 0) return <strong>{ticked === 0 ? 'never ticked' : 'never helped'}</strong>
  const what = section === 'diagnosis' ? 'found the cause' : 'the fix'
  return (
    <>
      {what} {formatCount(helped)} of {formatCount(ticked)}
      {isCurrent ? '' : ' (removed)'}
    </>
  )
}

function intervalText({ interval }: StepOutcomeItem): string | undefined {
  if (interval === null) return undefined
  return `95 % interval of the share: ${formatShare(interval.low, 1)} to ${formatShare(interval.high, 1)}`
}

const STEP_COLUMNS: readonly Column<StepOutcomeItem>[] = [
  {
    head: 'Step',
    kind: 'name',
    cell: ({ text, isCurrent }) =>
      isCurrent ? text : <span className="quiet">{text} (not in the present revision)</span>,
    below: (step) => (
      <span className="nums">
        {step.section}, ticked {formatCount(step.ticked)} of {formatCount(step.of)}
      </span>
    ),
    csv: ({ text }) => text,
  },
  { head: 'Section', isHiddenOnPhone: true, cell: ({ section }) => section, csv: ({ section }) => section },
  {
    head: 'Ticked',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ ticked, of }) => `${formatCount(ticked)} of ${formatCount(of)}`,
    csv: ({ ticked }) => ticked,
  },
  { id: 'of', head: 'Helped', kind: 'number', cell: helpText, title: intervalText, csv: ({ helped }) => helped },
]

type RevisionRow = OutcomesAnswer['revisions'][number]

const REVISION_COLUMNS: readonly Column<RevisionRow>[] = [
  {
    head: 'Revision',
    kind: 'name',
    cell: ({ revision }) =>
      revision === null ? <span className="quiet">before the first recorded one</span> : <code>{revision}</code>,
    below: ({ summary }) => <>acknowledged: {timesText(summary.acknowledge)}</>,
  },
  {
    head: 'In use since',
    isHiddenOnPhone: true,
    cell: ({ fromMs }) => (fromMs === null ? '' : <Moment atMs={fromMs} />),
  },
  { head: 'Occurrences', kind: 'number', cell: ({ summary }) => formatCount(summary.runs) },
  { head: 'Ended by', cell: ({ summary }) => endedText(summary) },
  {
    head: 'Time to acknowledge',
    isHiddenOnPhone: true,
    cell: ({ summary }) => timesText(summary.acknowledge),
    title: ({ summary }) => timesTitle(summary.acknowledge),
  },
  {
    head: 'Time to resolve',
    cell: ({ summary }) => timesText(summary.resolve),
    title: ({ summary }) => timesTitle(summary.resolve),
  },
]

type WorkedRow = OutcomesAnswer['worked'][number]

const WORKED_COLUMNS: readonly Column<WorkedRow>[] = [
  {
    head: 'Fired',
    kind: 'name',
    cell: ({ run }) => (
      <Link href={reviewPath(run.fingerprint, run.activeAtMs)}>
        <Moment atMs={run.firedAtMs} />
      </Link>
    ),
    below: ({ run }) => <ClusterLink cluster={run.cluster} />,
  },
  { head: 'Cluster', isHiddenOnPhone: true, cell: ({ run }) => <ClusterLink cluster={run.cluster} /> },
  {
    head: 'Ended',
    cell: ({ run }) =>
      run.resolvedAtMs === null ? <strong>firing</strong> : <Since atMs={run.resolvedAtMs} suffix=" ago" />,
  },
  {
    head: 'Ended by',
    cell: ({ end, stepText }) => (end === null ? '' : `${endText(end)}${stepText === null ? '' : `: ${stepText}`}`),
  },
]
