import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { OutcomeList } from '../../../contract/runbook-work.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { endedText, timesText, timesTitle } from '../../lib/outcome-text.ts'
import { outcomePath, outcomesPath } from '../../lib/paths.ts'
import { choiceField, viewCodec } from '../../lib/view-codec.ts'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import { PagesNav } from '../pages-nav.tsx'
import { useView } from '../use-view.ts'
import { outcomeListCall, useOutcomeList } from '../../query/use-runbook-work.ts'
import { AlertName } from '../../ui/alert-name.tsx'
import { Choice } from '../../ui/choice.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'

const DAYS = [
  { value: '7', text: '7 d' },
  { value: '30', text: '30 d' },
  { value: '365', text: '1 y' },
] as const

const OUTCOMES_VIEW = viewCodec({
  days: choiceField(
    'days',
    DAYS.map(({ value }) => value),
    '30',
  ),
})

/** What ended the alerts of the last days, and how long people needed, by alert. */
export function OutcomesPage(): ReactNode {
  const { view, set } = useView(OUTCOMES_VIEW, outcomesPath)
  const days = Number(view.days)
  const query = useOutcomeList(days)
  return (
    <div className="page">
      <title>Outcomes of alerts · Daytwo</title>
      <h1 className="visually-hidden">Outcomes of alerts</h1>
      <PagesNav place="Alerts" />
      <FilterBar>
        <Choice label="Time range" options={DAYS} value={view.days} onChange={set('days')} />
      </FilterBar>
      <Answer query={query} what="the outcomes" skeletonLines={10}>
        {({ alerts, isPartial }) => (
          <>
            <p className="quiet nums space-below" role="status">
              {alerts.length === 0
                ? 'No alert fired in this range.'
                : `${countOf(alerts.length, 'alert')}${isPartial ? '; only the newest 5,000 occurrences were read' : ''}.`}
            </p>
            {alerts.length === 0 ? null : (
              <DataTable
                label="Outcomes by alert"
                look="boxed"
                columns={COLUMNS}
                rows={alerts}
                rowKey={({ name }) => name}
                csvName="alert-outcomes"
              />
            )}
          </>
        )}
      </Answer>
      <ApiCallNote call={{ path: outcomeListCall(days) }} />
    </div>
  )
}

type Row = OutcomeList['alerts'][number]

const COLUMNS: readonly Column<Row>[] = [
  {
    head: 'Alert',
    kind: 'name',
    cell: ({ name, hasRunbook }) => (
      <>
        <Link href={outcomePath(name)} data-row>
          <AlertName name={name} />
        </Link>
        {hasRunbook ? null : <span className="own-labels">no runbook</span>}
      </>
    ),
    below: ({ summary }) => <span className="nums">{endedText(summary)}</span>,
    csv: ({ name }) => name,
  },
  {
    head: 'Occurrences',
    kind: 'number',
    cell: ({ summary }) => formatCount(summary.runs),
    csv: ({ summary }) => summary.runs,
  },
  {
    head: 'With recorded work',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ summary }) => `${formatCount(summary.worked)} of ${formatCount(summary.runs)}`,
    csv: ({ summary }) => summary.worked,
  },
  {
    head: 'Ended by',
    isHiddenOnPhone: true,
    cell: ({ summary }) => endedText(summary),
    csv: ({ summary }) => endedText(summary),
  },
  {
    head: 'Time to acknowledge',
    isHiddenOnPhone: true,
    cell: ({ summary }) => timesText(summary.acknowledge),
    title: ({ summary }) => timesTitle(summary.acknowledge),
    csv: ({ summary }) => summary.acknowledge.p50Seconds,
  },
  {
    head: 'Time to resolve',
    isHiddenOnPhone: true,
    cell: ({ summary }) => timesText(summary.resolve),
    title: ({ summary }) => timesTitle(summary.resolve),
    csv: ({ summary }) => summary.resolve.p50Seconds,
  },
]
