import type { ReactNode } from 'react'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import { asSentence } from '../../lib/as-sentence.ts'
import { adviceFor, lineAt, remarkOfError } from '../../lib/promql/remarks.ts'
import type { ApiFailure } from '../../query/fetch-json.ts'
import { Shape } from '../../ui/shapes.tsx'

interface QueryFaultProps {
  /** The query that was asked. */
  readonly expr: string
  readonly failure: ApiFailure
  /** An older answer stands below. */
  readonly hasAnswer: boolean
  readonly onAskAgain: () => void
}

/** Why there is no answer, below the text of the query: with a caret at the place that is meant. */
export function QueryFault({ expr, failure, hasAnswer, onAskAgain }: QueryFaultProps): ReactNode {
  const { text, offset } = remarkOfError(failure.message, expr)
  const place = offset === undefined ? undefined : lineAt(expr, offset)
  const advice = failure.hint ?? adviceFor(text)
  return (
    <div className="query-fault" role="alert">
      {place === undefined ? null : (
        <pre aria-hidden="true">
          {place.line}
          {'\n'}
          {' '.repeat(place.column)}^
        </pre>
      )}
      <p>
        <Shape name="cross" /> <strong>{asSentence(text)}</strong>
        {offset === undefined ? null : <span className="quiet"> {whereText(expr, offset)}</span>}
      </p>
      {advice === '' ? null : <p>{advice}</p>}
      {hasAnswer ? <p className="quiet">What follows is the answer before.</p> : null}
      {offset === undefined ? (
        <Button variant="link" size="sm" isInline onClick={onAskAgain}>
          Ask again
        </Button>
      ) : null}
    </div>
  )
}

function whereText(expr: string, offset: number): string {
  const { column } = lineAt(expr, offset)
  const line = expr.slice(0, offset).split('\n').length
  return expr.includes('\n') ? `line ${line}, column ${column + 1}` : `column ${column + 1}`
}
