import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunbookInstance } from '../../contract/runbooks.ts'
import { formatCount } from '../lib/format-number.ts'
import { ownLabels } from '../lib/own-labels.ts'
import { runbookPath } from '../lib/paths.ts'
import { Button } from '../ui/button.tsx'
import { ImpactMark, SeverityMark, StateMark } from '../ui/marks.tsx'
import { Since } from '../ui/time.tsx'
import styles from './runbook-chooser.module.css'

const ROWS_FIRST = 10
/** A list that fits the eye needs no search. */
const SEARCH_FROM = 8

interface RunbookChooserProps {
  readonly name: string
  /** Worst and newest first. */
  readonly instances: readonly RunbookInstance[]
}

/** Which of the alerts with this name it is about. The link that led here names only the alert. */
export function RunbookChooser({ name, instances }: RunbookChooserProps): ReactNode {
  const [text, setText] = useState('')
  const [isWhole, setIsWhole] = useState(false)
  const found = instances.filter((instance) => matches(instance, text.trim().toLowerCase()))
  const labels = useMemo(() => ownLabels(instances), [instances])
  const active = instances.filter(({ state }) => state !== 'resolved').length
  const rows = isWhole ? found : found.slice(0, ROWS_FIRST)
  return (
    <section className={styles.root} aria-labelledby="chooser-title">
      <h2 id="chooser-title">
        Which one? {formatCount(active)} active
        {active < instances.length ? `, ${formatCount(instances.length - active)} resolved` : ''}, worst and newest
        first
      </h2>
      {instances.length < SEARCH_FROM ? null : (
        <input
          type="search"
          className={styles.search}
          aria-label="Search by cluster or label"
          placeholder="Cluster or label"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
          }}
        />
      )}
      <table aria-label="Alerts with this name" className="data-table">
        <thead>
          <tr>
            <th scope="col" className="cell-severity">
              Severity
            </th>
            <th scope="col">Cluster</th>
            <th scope="col" className="cell-beside">
              Operator
            </th>
            <th scope="col" className="cell-number">
              Since
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((instance) => (
            <tr key={instance.fingerprint}>
              <td className="cell-severity">
                <SeverityMark severity={instance.severity} />
              </td>
              <td className="cell-name">
                <Link href={runbookPath(name, instance.fingerprint)}>
                  {instance.cluster === '' ? 'no cluster' : instance.cluster}
                </Link>
                <span className="own-labels">
                  {instance.state === 'firing' ? null : <StateMark state={instance.state} />}{' '}
                  {labels.get(instance.fingerprint)}
                </span>
              </td>
              <td className="cell-beside">
                <ImpactMark impact={instance.healthImpact} />
              </td>
              <td className="cell-number">
                <Since atMs={instance.activeAtMs} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.length === 0 ? <p className="quiet">None of them has “{text}” in its cluster or labels.</p> : null}
      {found.length > rows.length ? (
        <Button
          variant="link"
          isInline
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

function matches(instance: RunbookInstance, text: string): boolean {
  if (text === '') return true
  const texts = [instance.cluster, ...Object.values(instance.labels)]
  return texts.some((value) => value.toLowerCase().includes(text))
}
