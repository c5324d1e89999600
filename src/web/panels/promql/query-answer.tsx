import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { UpgradeItem } from '../../../contract/fleet-upgrades.ts'
import type { QueryAnswer as Answer } from '../../../contract/prometheus.ts'
import type { QueryTab } from '../../lib/promql/query-view.ts'
import type { QueryRequest, ExplainAnswer, GraphAnswer, TableAnswer } from '../../query/use-query-answers.ts'
import { Button } from '../../ui/button.tsx'
import type { TextSpan } from '../../ui/promql-editor-mark.ts'
import { laterPart } from '../../ui/later-part.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { EmptyAnswer } from './empty-answer.tsx'
import { ExplainResult } from './explain-result.tsx'
import { RemarkList } from './remark-list.tsx'
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

/** The answer as the chosen tab shows it, and what there is instead: that it is asked, was stopped, or is empty. */
export function QueryAnswer(props: QueryAnswerProps): ReactNode {
  const { tab, answers, onRetry, onStop } = props
  const { data, error, isFetching, isPlaceholderData } = answers[tab]
  return (
    <>
      {isFetching ? (
        <p className={`row text-small space-below ${styles.asking}`} role="status">
          <span className="quiet">Asking…</span>{' '}
          <Button variant="link" size="sm" isInline onClick={onStop}>
            Stop
          </Button>
        </p>
      ) : null}
      {data === undefined && isFetching ? <Skeleton lines={8} label="Loading the answer" /> : null}
      {data === undefined && !isFetching && error === null ? (
        <p role="status">
          <strong>Stopped.</strong> Nobody computes it any more.{' '}
          <Button variant="link" size="sm" isInline onClick={onRetry}>
            Ask again
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
  const { graph, table, explain } = answers
  switch (tab) {
    case 'graph': {
      if (graph.data === undefined) return null
      const { answer } = graph.data
      return (
        <>
          {isEmpty(answer) ? (
            <EmptyAnswer asked={asked} span={graph.data.span} onRun={onRun} />
          ) : (
            <GraphResult title={title} result={graph.data} unit={unit} upgrades={upgrades} onZoom={onZoom} />
          )}
          <RemarkList expr={asked.expr} answer={answer} onMark={onMark} />
        </>
      )
    }
    case 'table': {
      if (table.data === undefined) return null
      const { answer } = table.data
      return (
        <>
          {isEmpty(answer) ? (
            <EmptyAnswer asked={asked} onRun={onRun} />
          ) : (
            <TableResult title={title} result={table.data} unit={unit} />
          )}
          <RemarkList expr={asked.expr} answer={answer} onMark={onMark} />
        </>
      )
    }
    case 'explain': {
      if (explain.data === undefined) return null
      const { explained } = explain.data
      return (
        <>
          <ExplainResult explained={explained} onMark={onMark} />
          <RemarkList expr={asked.expr} answer={explained} onMark={onMark} />
        </>
      )
    }
  }
}

function isEmpty({ data }: Answer): boolean {
  return (data.resultType === 'vector' || data.resultType === 'matrix') && data.result.length === 0
}
