import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { UpgradeItem } from '../../../contract/fleet-upgrades.ts'
import type { QueryAnswer as Answered } from '../../../contract/prometheus.ts'
import type { QueryTab } from '../../lib/promql/query-view.ts'
import type { QueryRequest, ExplainAnswer, GraphAnswer, TableAnswer } from '../../query/use-query-answers.ts'
import { Button } from '../../ui/button.tsx'
import type { TextSpan } from '../../ui/promql-editor-mark.ts'
import { laterPart } from '../../ui/later-part.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { Span } from '../../lib/dashboards/time-range.ts'
import { useEmptyReasons } from '../../query/use-empty-reasons.ts'
import { PromqlText } from '../../ui/promql-text.tsx'
import { remarkOfAnnotation } from '../../lib/promql/remarks.ts'
import { Shape } from '../../ui/shapes.tsx'
import { ExplainResult } from './explain-result.tsx'
import { TableResult } from './table-result.tsx'
import styles from './query-answer.module.css'

/** Charts come when one is drawn. */
const GraphResult = laterPart(
  async () => (await import('./graph-result.tsx')).GraphResult,
  () => <Skeleton lines={8} label="Loading the graph" />,
)

export interface QueryAnswers {
  readonly graph: UseQueryResult<GraphAnswer>
  readonly table: UseQueryResult<TableAnswer>
  readonly explain: UseQueryResult<ExplainAnswer>
}

interface QueryAnswerProps {
  readonly title: string
  readonly asked: QueryRequest
  readonly tab: QueryTab
  readonly answers: QueryAnswers
  readonly unit: string
  /** Of the clusters that the query names. */
  readonly upgrades: readonly UpgradeItem[]
  readonly onZoom: (fromMs: number, toMs: number) => void
  readonly onMark: (span: TextSpan | undefined) => void
  readonly onRun: (expr: string) => void
  readonly onRetry: () => void
  readonly onStop: () => void
}

/** The answer in the selected tab, or its state: loading, stopped, or empty with the reasons. */
export function QueryAnswer(props: QueryAnswerProps): ReactNode {
  const { tab, answers, onRetry, onStop } = props
  const { data, error, isFetching, isPlaceholderData } = answers[tab]
  return (
    <>
      {isFetching ? (
        <p className={`row text-small space-below ${styles.asking}`} role="status">
          <span className="quiet">Running…</span>{' '}
          <Button variant="inline" onClick={onStop}>
            Stop
          </Button>
        </p>
      ) : null}
      {data === undefined && isFetching ? <Skeleton lines={8} label="Loading the result" /> : null}
      {data === undefined && !isFetching && error === null ? (
        <p role="status">
          <strong>Stopped.</strong> The server has cancelled the query.{' '}
          <Button variant="inline" onClick={onRetry}>
            Run again
          </Button>
        </p>
      ) : null}
      {data === undefined ? null : (
        <div className={error === null && !isPlaceholderData ? 'answer' : 'answer answer-old'}>
          <Body {...props} />
        </div>
      )}
    </>
  )
}

function Body({ title, asked, tab, answers, unit, upgrades, onZoom, onMark, onRun }: QueryAnswerProps): ReactNode {
  const [graph, table, explained] = [answers.graph.data, answers.table.data, answers.explain.data?.explained]
  const answer = { graph: graph?.answer, table: table?.answer, explain: explained }[tab]
  if (answer === undefined) return null
  const isNothing = 'data' in answer && isEmpty(answer)
  return (
    <>
      {isNothing ? <EmptyAnswer asked={asked} span={tab === 'graph' ? graph?.span : undefined} onRun={onRun} /> : null}
      {tab === 'graph' && graph !== undefined && !isNothing ? (
        <GraphResult title={title} result={graph} unit={unit} upgrades={upgrades} onZoom={onZoom} />
      ) : null}
      {tab === 'table' && table !== undefined && !isNothing ? (
        <TableResult title={title} result={table} unit={unit} />
      ) : null}
      {tab === 'explain' && explained !== undefined ? <ExplainResult explained={explained} onMark={onMark} /> : null}
      <RemarkList expr={asked.expr} answer={answer} onMark={onMark} />
    </>
  )
}

function isEmpty({ data }: Answered): boolean {
  return (data.resultType === 'vector' || data.resultType === 'matrix') && data.result.length === 0
}

interface EmptyAnswerProps {
  readonly asked: QueryRequest
  /** Of a graph. */
  readonly span?: Span | undefined
  readonly onRun: (expr: string) => void
}

/** An empty answer: which name or value is unknown, and similar ones. */
function EmptyAnswer({ asked, span, onRun }: EmptyAnswerProps): ReactNode {
  const { data, error } = useEmptyReasons(asked, span)
  return (
    <div className="stack" role="status">
      <p>
        <strong>No series.</strong>{' '}
        {data === undefined && error === null ? <span className="quiet">Checking the reason…</span> : null}
        {error === null ? null : 'No series match in this range, or a condition is false for all of them.'}
      </p>
      {(data ?? []).map(({ text, instead }) => (
        <div key={text}>
          <p>{text}</p>
          {instead.length === 0 ? null : (
            <ul className="plain-list">
              {instead.map(({ says, expr }) => (
                <li key={expr}>
                  <span className="quiet">Similar:</span>{' '}
                  <Button
                    variant="inline"
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

interface RemarkListProps {
  readonly expr: string
  readonly answer: Pick<Answered, 'warnings' | 'infos'>
  readonly onMark: (span: TextSpan | undefined) => void
}

const REMARKS_MAX = 12

/** Warnings and infos about an answer; each place in the query can be marked. */
function RemarkList({ expr, answer, onMark }: RemarkListProps): ReactNode {
  const { warnings = [], infos = [] } = answer
  const remarks = [
    ...warnings.map((message) => ({ kind: 'warning' as const, message })),
    ...infos.map((message) => ({ kind: 'info' as const, message })),
  ]
  if (remarks.length === 0) return null
  return (
    <ul className="stack text-small space-above" aria-label="Annotations of the result">
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
                    variant="inline"
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
