import { useMemo, useState, type ReactNode } from 'react'
import { asSentence } from '../../lib/failure-text.ts'
import { spanOf } from '../../lib/dashboards/time-range.ts'
import { guessUnit } from '../../lib/promql/guess-unit.ts'
import { selectorsIn } from '../../lib/promql/selectors.ts'
import { bandsOf, clustersNamedIn } from '../../lib/upgrade-bands.ts'
import { toFailure, type ApiFailure } from '../../query/fetch-json.ts'
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
import { adviceFor, isForTables, lineAt, remarkOfError } from '../../lib/promql/remarks.ts'
import { Shape } from '../../ui/shapes.tsx'
import { AnswerTools } from './answer-tools.tsx'
import { QueryAnswer, type QueryAnswers } from './query-answer.tsx'
import { QueryField, useQueryText } from './query-field.tsx'
import { QueryTools, type QueryToolsProps } from './query-tools.tsx'
import styles from './query-panel.module.css'

interface QueryPanelProps extends Omit<QueryToolsProps, 'isBlank' | 'isRun' | 'isPrettifying' | 'prettify'> {
  /** From 1. */
  readonly number: number
  readonly time: Omit<QueryRequest, 'expr'>
  readonly areUpgradesShown: boolean
  readonly hasFocus: boolean
  readonly onZoom: (fromMs: number, toMs: number) => void
}

/** One query: its text, its tabs, its answer. An empty one has not been run yet. */
export function QueryPanel(props: QueryPanelProps): ReactNode {
  const { number, query, time, areUpgradesShown, hasFocus, onZoom, ...tools } = props
  const { isOneOfMany, onRun, onChange } = tools
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
  const { upgrades, loaded, failed } = useUpgradesOf(clusters, areMarked)
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
      <div className={`row ${styles.line}`}>
        {isOneOfMany ? <span className={`nums rigid text-small text-strong ${styles.number}`}>{number}</span> : null}
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
      <QueryTools {...{ ...tools, query, prettify, isPrettifying }} isBlank={typed.trim() === ''} isRun={isRun} />
      {isWanted ? (
        <>
          <AnswerTools
            label={isOneOfMany ? `Display of the result of query ${number}` : 'Display of the result'}
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
              loaded={loaded}
              failed={failed}
            />
          )}
          {data === undefined ? null : <ApiCallNote call={{ path: data.path }} />}
        </>
      ) : null}
    </section>
  )
}

interface QueryFaultProps {
  /** The query that failed. */
  readonly expr: string
  readonly failure: ApiFailure
  /** An older answer is shown below. */
  readonly hasAnswer: boolean
  /** The page repeats the query by itself. */
  readonly isRetried: boolean
  readonly onRetry: () => void
  readonly onTable: () => void
}

/** The error of a query, with a caret at its place. */
function QueryFault({ expr, failure, hasAnswer, isRetried, onRetry, onTable }: QueryFaultProps): ReactNode {
  const { text, offset } = remarkOfError(failure.message, expr)
  const place = offset === undefined ? undefined : lineAt(expr, offset)
  const isUnreached = failure.status === 0
  const advice = isUnreached && !isRetried ? NOT_ASKED_AGAIN : (failure.hint ?? adviceFor(text))
  return (
    <div className={`edge wash-critical space-above ${styles.fault}`} role="alert">
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
      {hasAnswer ? <p className="quiet">The previous result is shown below.</p> : null}
      {isForTables(text) ? (
        <Button variant="inline" onClick={onTable}>
          Show as a table
        </Button>
      ) : offset === undefined ? (
        <Button variant="inline" onClick={onRetry}>
          Run again
        </Button>
      ) : null}
    </div>
  )
}

/** A failed query is not repeated unless the reader wants it. */
const NOT_ASKED_AGAIN = 'Queries on this page are not retried automatically unless a refresh interval is selected.'

function whereText(expr: string, offset: number): string {
  const { column } = lineAt(expr, offset)
  const line = expr.slice(0, offset).split('\n').length
  return expr.includes('\n') ? `line ${line}, column ${column + 1}` : `column ${column + 1}`
}
