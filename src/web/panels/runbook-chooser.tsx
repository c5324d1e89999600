import { useMemo, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunbookInstance } from '../../contract/runbooks.ts'
import { formatCount } from '../lib/format-number.ts'
import { ownLabels } from '../lib/alert-labels.ts'
import { runbookPath } from '../lib/paths.ts'
import { Button } from '../ui/button.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { valueTo } from '../ui/form-events.ts'
import { ImpactMark, StateMark } from '../ui/marks.tsx'
import { SEVERITY_COLUMN } from '../ui/severity-column.tsx'
import { Since } from '../ui/time.tsx'

const ROWS_FIRST = 10
/** Shorter lists have no search. */
const SEARCH_FROM = 8

interface RunbookChooserProps {
  readonly name: string
  /** Most severe and newest first. */
  readonly instances: readonly RunbookInstance[]
}

/** Selects the alert to bind the runbook to, when the link has the alert name only. */
export function RunbookChooser({ name, instances }: RunbookChooserProps): ReactNode {
  const [text, setText] = useState('')
  const [isWhole, setIsWhole] = useState(false)
  const found = instances.filter((instance) => matches(instance, text.trim().toLowerCase()))
  const labels = useMemo(() => ownLabels(instances), [instances])
  const active = instances.filter(({ state }) => state !== 'resolved').length
  const rows = isWhole ? found : found.slice(0, ROWS_FIRST)
  return (
    <section className="panel" aria-labelledby="chooser-title">
      <h2 id="chooser-title">
        {formatCount(active)} active
        {active < instances.length ? ` and ${formatCount(instances.length - active)} recently resolved` : ''} alerts
        (most severe first)
      </h2>
      {instances.length < SEARCH_FROM ? null : (
        <input
          type="search"
          className="control spaced"
          aria-label="Search by cluster or label"
          placeholder="Cluster or label"
          value={text}
          onChange={valueTo(setText)}
        />
      )}
      <DataTable
        label="Alerts with this name"
        columns={[
          SEVERITY_COLUMN,
          {
            head: 'Cluster',
            kind: 'name',
            cell: ({ fingerprint, cluster, state }) => (
              <>
                <Link href={runbookPath(name, fingerprint)}>{cluster === '' ? 'no cluster' : cluster}</Link>
                <span className="own-labels">
                  {state === 'firing' ? null : <StateMark state={state} />} {labels.get(fingerprint)}
                </span>
              </>
            ),
          },
          ...COLUMNS,
        ]}
        rows={rows}
        rowKey={({ fingerprint }) => fingerprint}
      />
      {found.length === 0 ? <p className="quiet">No alert has “{text}” in its cluster or labels.</p> : null}
      {found.length > rows.length ? (
        <Button
          variant="inline"
          onClick={() => {
            setIsWhole(true)
          }}
        >
          Show all {found.length}
        </Button>
      ) : null}
    </section>
  )
}

const COLUMNS: readonly Column<RunbookInstance>[] = [
  { head: 'Operator', isHiddenOnPhone: true, cell: ({ healthImpact }) => <ImpactMark impact={healthImpact} /> },
  { head: 'Since', kind: 'number', cell: ({ activeAtMs }) => <Since atMs={activeAtMs} /> },
]

function matches(instance: RunbookInstance, text: string): boolean {
  if (text === '') return true
  const texts = [instance.cluster, ...Object.values(instance.labels)]
  return texts.some((value) => value.toLowerCase().includes(text))
}
