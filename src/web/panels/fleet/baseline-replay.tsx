import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { BaselineReplayAnswer } from '../../../contract/fleet-configuration.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { formatAge } from '../../lib/format-time.ts'
import { clusterPath } from '../../lib/paths.ts'
import { baselineReplayCall, useBaselineReplay } from '../../query/use-configuration.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { submitTo, valueTo } from '../../ui/form-events.ts'
import { Panel } from '../../ui/panel.tsx'
import { serverNowMs } from '../../ui/server-clock.ts'
import { Moment } from '../../ui/time.tsx'
import { Answer } from '../answer.tsx'

const DAY_MS = 86_400_000
const WINDOWS = [
  { value: '7', text: '7 d' },
  { value: '30', text: '30 d' },
  { value: '90', text: '90 d' },
] as const
type Days = (typeof WINDOWS)[number]['value']

/** Another baseline over a past time, before it is chosen: which clusters would have differed from it, and when. */
export function BaselineReplay(): ReactNode {
  const [baseline, setBaseline] = useState('')
  const [days, setDays] = useState<Days>('30')
  const [call, setCall] = useState<string>()
  return (
    <Panel title="Back-test a baseline" aside="on stored settings, without side effects">
      <form
        className="form"
        onSubmit={submitTo(() => {
          // A whole minute, so that the same replay is not requested twice.
          const toMs = Math.floor(serverNowMs() / 60_000) * 60_000
          setCall(baselineReplayCall(baseline.trim(), toMs - Number(days) * DAY_MS, toMs))
        })}
      >
        <label className="field">
          <span>
            Baseline cluster <span className="quiet">(compared with the one that is chosen now)</span>
          </span>
          <input type="text" required value={baseline} placeholder="Name or alias" onChange={valueTo(setBaseline)} />
        </label>
        <div className="row form-actions">
          <Choice label="Window" options={WINDOWS} value={days} onChange={setDays} />
          <Button type="submit" variant="primary" isDisabled={baseline.trim() === ''}>
            Replay
          </Button>
        </div>
      </form>
      {call === undefined ? null : <Replayed call={call} />}
    </Panel>
  )
}

function Replayed({ call }: { readonly call: string }): ReactNode {
  return (
    <Answer query={useBaselineReplay(call)} what="the replay of the baseline" skeletonLines={4} call={call}>
      {(answer) => <Outcome answer={answer} />}
    </Answer>
  )
}

function Outcome({ answer }: { readonly answer: BaselineReplayAnswer }): ReactNode {
  const { from, to, proposed, present, total, compared, onlyProposed, onlyPresent, both, clusters } = answer
  const side = ({ clusters: count, seconds }: BaselineReplayAnswer['both']): string =>
    `${formatCount(count)} of ${countOf(compared, 'cluster')}${count === 0 ? '' : `, ${formatAge(seconds * 1000)} in total`}`
  return (
    <section aria-label="Replay of the baseline" className="stack">
      <p className="quiet">
        From <Moment atMs={Date.parse(from)} /> to <Moment atMs={Date.parse(to)} />; {formatCount(compared)} of{' '}
        {countOf(total, 'cluster')} reported settings in that time.
      </p>
      <ul className="plain-list">
        <li>
          Differ from {proposed}
          {present === null ? '' : ' alone'}: {side(onlyProposed)}
        </li>
        {present === null ? null : (
          <>
            <li>
              Differ from {present} alone: {side(onlyPresent)}
            </li>
            <li>Differ from both: {side(both)}</li>
          </>
        )}
      </ul>
      {clusters.length === 0 ? (
        <p className="quiet">No cluster differs.</p>
      ) : (
        <DataTable
          label="Clusters that differ"
          columns={columnsOf(answer)}
          rows={rowsOf(answer)}
          rowKey={({ key }) => key}
        />
      )}
    </section>
  )
}

interface Row {
  readonly key: string
  readonly cluster: string
  readonly from: string
  readonly until: string
  readonly proposed: readonly string[]
  readonly present: readonly string[]
}

const ROWS_MAX = 200

function rowsOf({ clusters }: BaselineReplayAnswer): readonly Row[] {
  return clusters
    .flatMap(({ cluster, times }) => times.map((time) => ({ key: `${cluster} ${time.from}`, cluster, ...time })))
    .slice(0, ROWS_MAX)
}

function columnsOf({ proposed, present }: BaselineReplayAnswer): readonly Column<Row>[] {
  return [
    { head: 'Cluster', kind: 'name', cell: ({ cluster }) => <Link href={clusterPath(cluster)}>{cluster}</Link> },
    { head: 'From', cell: ({ from }) => <Moment atMs={Date.parse(from)} /> },
    {
      head: 'For',
      kind: 'number',
      isHiddenOnPhone: true,
      cell: ({ from, until }) => formatAge(Date.parse(until) - Date.parse(from)),
    },
    { head: `Differs from ${proposed} in`, cell: (row) => namesText(row.proposed) },
    ...(present === null
      ? []
      : [{ head: `Differs from ${present} in`, cell: (row: Row) => namesText(row.present) } satisfies Column<Row>]),
  ]
}

const NAMES_SHOWN = 3

function namesText(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  const shown = names.slice(0, NAMES_SHOWN).join(', ')
  return names.length > NAMES_SHOWN ? `${shown} and ${names.length - NAMES_SHOWN} more` : shown
}
