import type { ReactNode } from 'react'
import type { Span } from '../../lib/dashboards/time-range.ts'
import { useEmptyReasons } from '../../query/use-empty-reasons.ts'
import type { QueryRequest } from '../../query/use-query-answers.ts'
import { Button } from '../../ui/button.tsx'
import { PromqlText } from '../../ui/promql-text.tsx'

interface EmptyAnswerProps {
  readonly asked: QueryRequest
  /** Of a graph. */
  readonly span?: Span | undefined
  readonly onRun: (expr: string) => void
}

/** Nothing, and why: which name or which value nobody knows, and what may have been meant. */
export function EmptyAnswer({ asked, span, onRun }: EmptyAnswerProps): ReactNode {
  const { data, error } = useEmptyReasons(asked, span)
  return (
    <div className="stack" role="status">
      <p>
        <strong>No series.</strong>{' '}
        {data === undefined && error === null ? <span className="quiet">Looking why…</span> : null}
        {error === null ? null : 'Nothing matches in this time, or a condition holds for nothing.'}
      </p>
      {(data ?? []).map(({ text, instead }) => (
        <div key={text}>
          <p>{text}</p>
          {instead.length === 0 ? null : (
            <ul className="plain-list">
              {instead.map(({ says, expr }) => (
                <li key={expr}>
                  <span className="quiet">Perhaps</span>{' '}
                  <Button
                    variant="link"
                    size="sm"
                    isInline
                    onClick={() => {
                      onRun(expr)
                    }}
                  >
                    <code>
                      <PromqlText expr={says} />
                    </code>
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </div>
  )
}
