import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { TimelineItem, TimelineKind } from '../../lib/cluster-timeline.ts'
import { countOf } from '../../lib/format-number.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Shape, type ShapeName } from '../../ui/shapes.tsx'
import { Since } from '../../ui/time.tsx'
import styles from './cluster-timeline.module.css'

const KINDS: Readonly<Record<TimelineKind, { readonly shape: ShapeName; readonly word: string }>> = {
  objects: { shape: 'disc', word: 'object' },
  upgrades: { shape: 'up', word: 'upgrade' },
  alerts: { shape: 'triangle', word: 'alert' },
  modifications: { shape: 'diamond', word: 'modification' },
  cluster: { shape: 'slash', word: 'cluster' },
}

const STEP = 25
/** Further fields of a change are collapsed. */
const LINES_SHOWN = 3

/** What changed, newest first. */
export function ClusterTimeline({ items }: { readonly items: readonly TimelineItem[] }): ReactNode {
  const [shown, setShown] = useState(STEP)
  if (items.length === 0) return <p className="quiet">No reported changes.</p>
  return (
    <>
      <ol className={`entries ${styles.root}`}>
        {items.slice(0, shown).map((item) => (
          <li key={item.key}>
            <span className={classNames('quiet', 'text-small', styles.age)}>
              <Since atMs={item.atMs} suffix=" ago" />
            </span>
            <span className="quiet" title={KINDS[item.kind].word}>
              <Shape name={KINDS[item.kind].shape} />
              <span className="visually-hidden">{KINDS[item.kind].word}</span>
            </span>
            <div>
              <strong>{item.path === undefined ? item.title : <Link href={item.path}>{item.title}</Link>}</strong>
              <Lines lines={item.lines} />
            </div>
          </li>
        ))}
      </ol>
      {items.length > shown ? (
        <Button
          variant="link"
          onClick={() => {
            setShown(shown + 4 * STEP)
          }}
        >
          Show more: {countOf(items.length - shown, 'change')} left
        </Button>
      ) : null}
    </>
  )
}

function Lines({ lines }: { readonly lines: readonly string[] }): ReactNode {
  const rest = lines.slice(LINES_SHOWN)
  return (
    <>
      {lines.slice(0, LINES_SHOWN).map((line) => (
        <span key={line} className="own-labels">
          {line}
        </span>
      ))}
      {rest.length === 0 ? null : (
        <details>
          <summary className="quiet">{countOf(rest.length, 'more field')}</summary>
          {rest.map((line) => (
            <span key={line} className="own-labels">
              {line}
            </span>
          ))}
        </details>
      )}
    </>
  )
}
