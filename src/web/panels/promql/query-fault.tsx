import type { ReactNode } from 'react'
import { asSentence } from '../../lib/failure-text.ts'
import { adviceFor, isForTables, lineAt, remarkOfError } from '../../lib/promql/remarks.ts'
import type { ApiFailure } from '../../query/fetch-json.ts'
import { Button } from '../../ui/button.tsx'
import { Shape } from '../../ui/shapes.tsx'
import styles from './query-fault.module.css'

interface QueryFaultProps {
  /** The query that was asked. */
  readonly expr: string
  readonly failure: ApiFailure
  /** An older answer stands below. */
  readonly hasAnswer: boolean
  /** The page asks again by itself. */
  readonly isRetried: boolean
  readonly onRetry: () => void
  readonly onTable: () => void
}

/** Why there is no answer, below the text of the query: with a caret at the place that is meant. */
export function QueryFault({ expr, failure, hasAnswer, isRetried, onRetry, onTable }: QueryFaultProps): ReactNode {
  const { text, offset } = remarkOfError(failure.message, expr)
  const place = offset === undefined ? undefined : lineAt(expr, offset)
  const isUnreached = failure.status === 0
  const advice = isUnreached && !isRetried ? NOT_ASKED_AGAIN : (failure.hint ?? adviceFor(text))
  return (
    <div className={styles.root} role="alert">
      {place === undefined ? null : (
        <pre aria-hidden="true">
          {place.line}
          {'\n'}
          {' '.repeat(place.column)}^
        </pre>
      )}
      <p className="tone-critical">
        <Shape name="cross" /> <strong>{asSentence(text)}</strong>
        {offset === undefined ? null : <span className="quiet"> {whereText(expr, offset)}</span>}
      </p>
      {advice === '' ? null : <p className="tone-critical">{asSentence(advice)}</p>}
      {hasAnswer ? <p className="quiet">What follows is the answer before.</p> : null}
      {isForTables(text) ? (
        <Button variant="link" size="sm" isInline onClick={onTable}>
          Show as a table
        </Button>
      ) : offset === undefined ? (
        <Button variant="link" size="sm" isInline onClick={onRetry}>
          Ask again
        </Button>
      ) : null}
    </div>
  )
}

/** A query is somebody's question: it is not repeated behind their back. */
const NOT_ASKED_AGAIN = 'Nothing is asked again by itself here, unless a refresh is chosen.'

function whereText(expr: string, offset: number): string {
  const { column } = lineAt(expr, offset)
  const line = expr.slice(0, offset).split('\n').length
  return expr.includes('\n') ? `line ${line}, column ${column + 1}` : `column ${column + 1}`
}
