import { useMemo, useState, type ReactNode } from 'react'
import { spanOf } from '../../lib/dashboards/time-range.ts'
import { guessUnit } from '../../lib/promql/guess-unit.ts'
import type { QueryView } from '../../lib/promql/query-view.ts'
import { selectorsIn } from '../../lib/promql/selectors.ts'
import { bandsOf, clustersNamedIn } from '../../lib/upgrade-bands.ts'
import { toFailure } from '../../query/fetch-json.ts'
import { useReportedUnits } from '../../query/use-completion.ts'
import {
  useRefetchQuery,
  useExplainAnswer,
  useGraphAnswer,
  useStopQuery,
  useTableAnswer,
  type QueryRequest,
} from '../../query/use-query-answers.ts'
import { useUpgradesOf } from '../../query/use-upgrades.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorBoundary } from '../../ui/error-boundary.tsx'
import { serverNowMs } from '../../ui/server-clock.ts'
import type { TextSpan } from '../../ui/promql-editor-mark.ts'
import { ApiCallNote } from '../api-call-note.tsx'
import { UpgradeBandList } from '../upgrade-band-list.tsx'
import { AnswerTools } from './answer-tools.tsx'
import { QueryAnswer, type QueryAnswers } from './query-answer.tsx'
import { QueryFault } from './query-fault.tsx'
import { QueryField } from './query-field.tsx'
import { QueryTools } from './query-tools.tsx'
import { useQueryText } from './use-query-text.ts'
import styles from './query-panel.module.css'

interface QueryPanelProps {
  /** From 1. */
  readonly number: number
  /** There are others beside it. */
  readonly isOneOfMany: boolean
  readonly query: QueryView
  readonly time: Omit<QueryRequest, 'expr'>
  readonly areUpgradesShown: boolean
  readonly hasFocus: boolean
  /** Runs an expression in place of this one; the same one is asked again. */
  readonly onRun: (expr: string) => void
  readonly onChange: (change: Partial<QueryView>) => void
  readonly onZoom: (fromMs: number, toMs: number) => void
  /** Absent where there may be no more. */
  readonly onDuplicate: (() => void) | undefined
  readonly onRemove: (() => void) | undefined
}

/** One query: its text, its tabs, its answer. An empty one has not been run yet. */
export function QueryPanel(props: QueryPanelProps): ReactNode {
  const {
    number,
    isOneOfMany,
    query,
    time,
    areUpgradesShown,
    hasFocus,
    onRun,
    onChange,
    onZoom,
    onDuplicate,
    onRemove,
  } = props
  const { expr, tab, isHidden } = query
  const asked: QueryRequest = { expr, ...time }
  const isWanted = expr !== '' && !isHidden
  const answers: QueryAnswers = {
    graph: useGraphAnswer(asked, isWanted && tab === 'graph'),
    table: useTableAnswer(asked, isWanted && tab === 'table'),
    explain: useExplainAnswer(asked, isWanted && tab === 'explain'),
  }
  const clusters = useMemo(() => clustersNamedIn(selectorsIn(expr)), [expr])
  const areMarked = areUpgradesShown && isWanted && tab !== 'explain' && clusters.length > 0
  const { upgrades, told, untold } = useUpgradesOf(clusters, areMarked)
  const refetchQuery = useRefetchQuery()
  const stop = useStopQuery()
  const { typed, given, setTyped, prettify, isPrettifying, prettyFailure } = useQueryText(expr)
  const [mark, setMark] = useState<TextSpan | undefined>()
  const guessed = guessUnit(expr, useReportedUnits()) ?? 'decimal'
  const { data, error } = answers[tab]
  const failure = prettyFailure ?? (error === null || !isWanted ? undefined : toFailure(error))
  const name = isOneOfMany ? `Query ${number}` : 'Query'
  const isRun = typed.trim() === expr
  return (
    <section className="panel" aria-label={name}>
      <div className={styles.line}>
        {isOneOfMany ? <span className={`nums rigid ${styles.number}`}>{number}</span> : null}
        <QueryField
          label={isOneOfMany ? `PromQL of query ${number}` : 'PromQL'}
          value={typed}
          given={given}
          onChange={setTyped}
          onRun={(text) => {
            onRun(text.trim())
          }}
          mark={isRun ? mark : undefined}
          hasFocus={hasFocus}
        />
        <Button
          variant="primary"
          onClick={() => {
            onRun(typed.trim())
          }}
        >
          Run
        </Button>
      </div>
      {failure === undefined ? null : (
        <QueryFault
          expr={prettyFailure === undefined ? expr : typed}
          failure={failure}
          hasAnswer={data !== undefined}
          isRetried={time.refreshSeconds > 0 && time.range.kind === 'last' && data !== undefined}
          onRetry={() => {
            refetchQuery(expr)
          }}
          onTable={() => {
            onChange({ tab: 'table' })
          }}
        />
      )}
      <QueryTools
        {...{ isOneOfMany, query, onRun, onChange, onDuplicate, onRemove, prettify, isPrettifying }}
        isBlank={typed.trim() === ''}
        isRun={isRun}
      />
      {isWanted ? (
        <>
          <AnswerTools
            label={isOneOfMany ? `How the answer of query ${number} is shown` : 'How the answer is shown'}
            query={query}
            answers={answers}
            guessedUnit={guessed}
            onChange={onChange}
          />
          <ErrorBoundary what={name}>
            <QueryAnswer
              title={name}
              asked={asked}
              tab={tab}
              answers={answers}
              unit={query.unit || guessed}
              upgrades={upgrades}
              onZoom={onZoom}
              onMark={setMark}
              onRun={onRun}
              onRetry={() => {
                refetchQuery(expr)
              }}
              onStop={() => {
                stop(expr)
              }}
            />
          </ErrorBoundary>
          {data === undefined || !areMarked ? null : (
            <UpgradeBandList
              bands={bandsOf(upgrades, answers.graph.data?.span ?? spanOf(time.range, serverNowMs()))}
              told={told}
              untold={untold}
            />
          )}
          {data === undefined ? null : <ApiCallNote call={{ path: data.path }} />}
        </>
      ) : null}
    </section>
  )
}
