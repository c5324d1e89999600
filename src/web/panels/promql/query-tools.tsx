import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { metricsPath } from '../../lib/paths.ts'
import type { QueryView } from '../../lib/promql/query-view.ts'
import { metricsIn } from '../../lib/promql/selectors.ts'
import { QueryHistory } from './own-queries.tsx'
import { Button } from '../../ui/button.tsx'

export interface QueryToolsProps {
  /** There are others beside it. */
  readonly isOneOfMany: boolean
  readonly query: QueryView
  /** Nothing is written. */
  readonly isBlank: boolean
  /** What is written is what was run. */
  readonly isRun: boolean
  readonly isPrettifying: boolean
  readonly prettify: () => void
  /** Runs an expression in place of this one; the same one is queried again. */
  readonly onRun: (expr: string) => void
  readonly onChange: (change: Partial<QueryView>) => void
  /** Absent where there may be no more. */
  readonly onDuplicate: (() => void) | undefined
  readonly onRemove: (() => void) | undefined
}

/** The actions on one query, and links to the metrics that it reads. */
export function QueryTools(props: QueryToolsProps): ReactNode {
  const { isOneOfMany, query, isBlank, isRun, isPrettifying, prettify, onRun, onChange, onDuplicate, onRemove } = props
  const { expr, isHidden } = query
  return (
    <div className="row text-small space-above screen-only">
      <QueryHistory onChoose={onRun} />
      {isBlank ? null : (
        <Button variant="link" size="sm" isDisabled={isPrettifying} onClick={prettify}>
          Prettify
        </Button>
      )}
      {onDuplicate === undefined ? null : (
        <Button variant="link" size="sm" onClick={onDuplicate}>
          Duplicate
        </Button>
      )}
      {isOneOfMany && expr !== '' ? (
        <Button
          variant="link"
          size="sm"
          onClick={() => {
            onChange({ isHidden: !isHidden })
          }}
        >
          {isHidden ? 'Show' : 'Hide'}
        </Button>
      ) : null}
      {onRemove === undefined ? null : (
        <Button variant="link" size="sm" onClick={onRemove}>
          Remove
        </Button>
      )}
      <MetricLinks expr={expr} />
      {isRun || expr === '' ? null : <span className="quiet">changed since it ran</span>}
    </div>
  )
}

const METRICS_MAX = 4

/** Links to the metrics of the query. */
function MetricLinks({ expr }: { readonly expr: string }): ReactNode {
  const metrics = metricsIn(expr)
  if (metrics.length === 0) return null
  return (
    <span className="row touch-links">
      <span className="quiet">About</span>{' '}
      {metrics.slice(0, METRICS_MAX).map((metric) => (
        <Link
          key={metric}
          href={metricsPath({ show: 'all', metric })}
          title={`${metric}: description, senders, alerts and panels that use it`}
        >
          {metric}
        </Link>
      ))}
      {metrics.length > METRICS_MAX ? <span className="quiet">and {metrics.length - METRICS_MAX} more</span> : null}
    </span>
  )
}
