import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ReviewAnswer, WorkAnswer } from '../../../contract/runbook-work.ts'
import { formatAge } from '../../lib/format-time.ts'
import { endText } from '../../lib/outcome-text.ts'
import { clusterPath, outcomePath, runbookPath, upgradePath } from '../../lib/paths.ts'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import { PagesNav } from '../pages-nav.tsx'
import { Ended, Notes } from '../work-panel.tsx'
import { alertReviewCall, useReview, useRunbookWork } from '../../query/use-runbook-work.ts'
import { AlertName } from '../../ui/alert-name.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { FactList } from '../../ui/fact-list.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Moment } from '../../ui/time.tsx'
import { TitleLine } from '../../ui/title-line.tsx'

interface ReviewPageProps {
  readonly fingerprint: string
  readonly activeAtMs: number
}

/** The post-incident review of one occurrence of an alert: timeline, outcome, notes, and the files to take along. */
export function ReviewPage({ fingerprint, activeAtMs }: ReviewPageProps): ReactNode {
  const run = { fingerprint, activeAtMs }
  const query = useReview(run)
  const work = useRunbookWork(run)
  const [alert] = query.data?.review.alerts ?? []
  return (
    <div className="page">
      <title>{`Review of ${alert?.run.alertname ?? 'an alert'} · Daytwo`}</title>
      <PagesNav place="Alerts" />
      <TitleLine
        title={
          alert === undefined ? (
            'Review'
          ) : (
            <>
              Review of <AlertName name={alert.run.alertname} />
            </>
          )
        }
        tools={query.data === undefined ? undefined : <Files answer={query.data} />}
      />
      <Answer query={query} what="the review" skeletonLines={10}>
        {({ review }) => (
          <div className="columns">
            <div>
              <Panel title="Timeline">
                <DataTable label="Timeline" columns={EVENT_COLUMNS} rows={review.timeline} rowKey={(_, i) => i} />
              </Panel>
              {review.unknown.length === 0 ? null : (
                <Panel title="Missing information">
                  <ul>
                    {review.unknown.map((text) => (
                      <li key={text}>{text}</li>
                    ))}
                  </ul>
                </Panel>
              )}
            </div>
            <div>
              {alert === undefined ? null : <Facts alert={alert} upgrades={review.upgrades} />}
              {work.data === undefined ? null : <Recorded run={run} work={work.data} />}
            </div>
          </div>
        )}
      </Answer>
      <ApiCallNote call={{ path: alertReviewCall(run) }} />
    </div>
  )
}

function Files({ answer: { fileName, markdown, review } }: { readonly answer: ReviewAnswer }): ReactNode {
  return (
    <span className="row">
      <Button
        variant="primary"
        onClick={() => {
          saveFile(`${fileName}.md`, markdown, 'text/markdown')
        }}
      >
        Save as Markdown
      </Button>
      <Button
        onClick={() => {
          saveFile(`${fileName}.json`, JSON.stringify(review, null, 2), 'application/json')
        }}
      >
        Save as JSON
      </Button>
      <CopyButton text={markdown} label="Copy as Markdown" />
    </span>
  )
}

interface FactsProps {
  readonly alert: ReviewAnswer['review']['alerts'][number]
  readonly upgrades: ReviewAnswer['review']['upgrades']
}

function Facts({ alert, upgrades }: FactsProps): ReactNode {
  const { run, acknowledged, end, acknowledgeSeconds, resolveSeconds, revision } = alert
  const after = (seconds: number | null): string => (seconds === null ? '' : formatAge(seconds * 1000))
  return (
    <Panel title="Alert">
      <FactList
        isStacked
        facts={[
          {
            name: 'cluster',
            value: run.cluster === '' ? 'none' : <Link href={clusterPath(run.cluster)}>{run.cluster}</Link>,
          },
          { name: 'fired', value: <Moment atMs={run.firedAtMs} /> },
          {
            name: 'time to acknowledge',
            value: acknowledged === null ? 'not acknowledged' : `${after(acknowledgeSeconds)}, by ${acknowledged.by}`,
          },
          { name: 'time to resolve', value: resolveSeconds === null ? 'firing' : after(resolveSeconds) },
          end === null ? undefined : { name: 'ended by', value: endText(end) },
          {
            name: 'runbook',
            value: (
              <>
                <Link href={runbookPath(run.alertname)}>{run.alertname}</Link>
                {revision === null ? ', revision not recorded' : `, revision ${revision}`};{' '}
                <Link href={outcomePath(run.alertname)}>outcomes</Link>
              </>
            ),
          },
          ...upgrades.map(({ id, to, state }) => ({
            name: 'upgrade',
            value: (
              <Link href={upgradePath(id)}>
                to {to} ({state.replaceAll('_', ' ')})
              </Link>
            ),
          })),
        ]}
      />
    </Panel>
  )
}

function Recorded({
  run,
  work,
}: {
  readonly run: { readonly fingerprint: string; readonly activeAtMs: number }
  readonly work: WorkAnswer
}): ReactNode {
  return (
    <Panel title="Outcome and notes">
      <Ended run={run} work={work} />
      <Notes run={run} notes={work.notes} />
    </Panel>
  )
}

type ReviewRow = ReviewAnswer['review']['timeline'][number]

const EVENT_COLUMNS: readonly Column<ReviewRow>[] = [
  { head: 'Time', isOneLine: true, cell: ({ atMs }) => <Moment atMs={atMs} /> },
  { head: 'Kind', isOneLine: true, isHiddenOnPhone: true, cell: ({ kind }) => kind },
  {
    head: 'Event',
    kind: 'name',
    cell: ({ text }) => text,
    below: ({ by }) => (by === null ? null : <span>{by}</span>),
  },
  { head: 'By', isOneLine: true, isHiddenOnPhone: true, cell: ({ by }) => by ?? '' },
]
