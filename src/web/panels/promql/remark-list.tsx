import type { ReactNode } from 'react'
import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { remarkOfAnnotation } from '../../lib/promql/remarks.ts'
import { Button } from '../../ui/button.tsx'
import { Shape } from '../../ui/shapes.tsx'
import type { TextSpan } from '../../ui/promql-editor-mark.ts'

interface RemarkListProps {
  readonly expr: string
  readonly answer: Pick<QueryAnswer, 'warnings' | 'infos'>
  readonly onMark: (span: TextSpan | undefined) => void
}

const REMARKS_MAX = 12

/** What the server remarks about a good answer; each place in the query can be shown. */
export function RemarkList({ expr, answer, onMark }: RemarkListProps): ReactNode {
  const { warnings = [], infos = [] } = answer
  const remarks = [
    ...warnings.map((message) => ({ kind: 'warning' as const, message })),
    ...infos.map((message) => ({ kind: 'info' as const, message })),
  ]
  if (remarks.length === 0) return null
  return (
    <ul className="stack list text-small space-above" aria-label="Remarks about the answer">
      {remarks.slice(0, REMARKS_MAX).map(({ kind, message }) => {
        const { text, offset } = remarkOfAnnotation(message, expr)
        return (
          <li key={message} className={kind === 'warning' ? 'tone-warning' : 'quiet'}>
            <Shape name={kind === 'warning' ? 'diamond' : 'disc'} />{' '}
            <span>
              <span className="visually-hidden">{kind}: </span>
              {text}
              {offset === undefined ? null : (
                <>
                  {' '}
                  <Button
                    variant="link"
                    size="sm"
                    isInline
                    onClick={() => {
                      onMark({ from: offset, to: endOfPart(expr, offset) })
                    }}
                  >
                    Show where
                  </Button>
                </>
              )}
            </span>
          </li>
        )
      })}
      {remarks.length > REMARKS_MAX ? <li className="quiet">and {remarks.length - REMARKS_MAX} more</li> : null}
    </ul>
  )
}

/** The word that begins there, with its brackets. */
function endOfPart(expr: string, offset: number): number {
  return offset + (/^[\w:]+(?:\{[^}]*\})?(?:\[[^\]]*\])?/.exec(expr.slice(offset))?.[0].length ?? 1)
}
