import type { ReactNode } from 'react'
import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { UNITS } from '../../../model/unit.ts'
import { formatUnit } from '../../lib/dashboards/format-unit.ts'
import { countOf } from '../../lib/format-number.ts'
import { csvOf, fileNameOf } from '../../lib/promql/answer-file.ts'
import { QUERY_TABS, type QueryView } from '../../lib/promql/query-view.ts'
import { metricsIn } from '../../lib/promql/selectors.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { valueTo } from '../../ui/form-events.ts'
import { Popover } from '../../ui/popover.tsx'
import { saveFile } from '../../ui/save-file.ts'
import type { QueryAnswers } from './query-answer.tsx'
import styles from './answer-tools.module.css'

interface AnswerToolsProps {
  readonly label: string
  readonly query: QueryView
  readonly answers: QueryAnswers
  readonly guessedUnit: string
  readonly onChange: (change: Partial<QueryView>) => void
}

/** Tabs, unit, export and summary of an answer. */
export function AnswerTools({ label, query, answers, guessedUnit, onChange }: AnswerToolsProps): ReactNode {
  const { expr, tab, unit } = query
  const { data } = answers[tab]
  return (
    <div className={`row text-small screen-only ${styles.root}`}>
      <Choice
        label={label}
        options={QUERY_TABS}
        value={tab}
        onChange={(chosen) => {
          onChange({ tab: chosen })
        }}
      />
      {data === undefined || tab === 'explain' ? null : (
        <>
          <UnitChoice
            unit={unit}
            guessed={guessedUnit}
            onUnit={(chosen) => {
              onChange({ unit: chosen })
            }}
          />
          {'answer' in data ? <SaveAnswer expr={expr} answer={data.answer} /> : null}
        </>
      )}
      <AnswerSummary answers={answers} tab={tab} />
    </div>
  )
}

interface UnitChoiceProps {
  /** Empty: guessed. */
  readonly unit: string
  readonly guessed: string
  readonly onUnit: (unit: string) => void
}

/** Units to choose from, in groups; most dates and currencies are for dashboards only. */
const GROUPS: readonly { readonly name: string; readonly units: readonly string[] }[] = [
  { name: 'Numbers', units: [...UNITS.number, 'percent', 'percent-decimal'] },
  { name: 'Time', units: UNITS.time },
  { name: 'Data', units: [...UNITS.bytes, ...UNITS.bits] },
  { name: 'Throughput', units: UNITS.throughput },
  { name: 'Other', units: [...UNITS.temperature, 'datetime-local', 'relative-time'] },
]

/** The unit of the values: guessed from the query, or selected. */
function UnitChoice({ unit, guessed, onUnit }: UnitChoiceProps): ReactNode {
  const isListed = unit === '' || GROUPS.some(({ units }) => units.includes(unit))
  return (
    <label className="row">
      <span className="quiet">Unit</span>
      <select className="control" value={unit} onChange={valueTo(onUnit)}>
        <option value="">{guessed} (guessed)</option>
        {isListed ? null : <option value={unit}>{unit}</option>}
        {GROUPS.map(({ name, units }) => (
          <optgroup key={name} label={name}>
            {units.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}

/** Exports an answer. */
function SaveAnswer({ expr, answer }: { readonly expr: string; readonly answer: QueryAnswer }): ReactNode {
  const metrics = metricsIn(expr)
  return (
    <Popover button="Save" label="Export the result" side="right">
      {(close) => (
        <div className="stack">
          <span>
            <Button
              size="sm"
              data-first
              onClick={() => {
                saveFile(fileNameOf(metrics, 'csv'), csvOf(answer.data), 'text/csv')
                close()
              }}
            >
              CSV file
            </Button>{' '}
            <Button
              size="sm"
              onClick={() => {
                saveFile(fileNameOf(metrics, 'json'), JSON.stringify(answer), 'application/json')
                close()
              }}
            >
              JSON file
            </Button>
          </span>
          <span>
            CSV to the clipboard <CopyButton text={csvOf(answer.data)} label="Copy as CSV" />
          </span>
        </div>
      )}
    </Popover>
  )
}

/** The number of series, the step and the duration of the query. */
function AnswerSummary({
  answers,
  tab,
}: {
  readonly answers: QueryAnswers
  readonly tab: QueryView['tab']
}): ReactNode {
  const { data } = answers[tab]
  if (data === undefined) return null
  const took = formatUnit(Math.round(data.tookMs), { unit: 'milliseconds' }, { zone: 'utc', nowMs: 0 })
  const span = tab === 'graph' ? answers.graph.data?.span : undefined
  const parts = [
    ...('answer' in data ? [seriesText(data.answer)] : []),
    ...(span === undefined
      ? []
      : [`a step of ${formatUnit(span.stepSeconds, { unit: 'seconds' }, { zone: 'utc', nowMs: 0 })}`]),
    took,
  ]
  return (
    <span className={`quiet nums ${styles.summary}`} role="status">
      {parts.filter((part) => part !== '').join(' · ')}
    </span>
  )
}

function seriesText({ data }: QueryAnswer): string {
  return data.resultType === 'vector' || data.resultType === 'matrix'
    ? countOf(data.result.length, 'series', 'series')
    : data.resultType
}
