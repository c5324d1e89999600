import { useState, type ReactNode } from 'react'
import type { QueryAnswer } from '../../contract/prometheus.ts'
import { countOf, formatValue, parseValue } from '../lib/format-number.ts'
import { toPromqlView, type Label, type PromqlView } from '../lib/promql-table.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { DataTable, type Column } from '../ui/data-table.tsx'
import styles from './promql-result.module.css'

const ROWS_FIRST = 12

/** The answer of an instant query: nothing, one value, or a table, with the warnings below it. */
export function PromqlResult({ answer }: { readonly answer: QueryAnswer }): ReactNode {
  const view = toPromqlView(answer.data)
  return (
    <>
      <View view={view} />
      {(answer.warnings ?? []).map((warning) => (
        <p key={warning} className="quiet">
          Warning: {warning}
        </p>
      ))}
    </>
  )
}

function View({ view }: { readonly view: PromqlView }): ReactNode {
  switch (view.kind) {
    case 'none':
      return (
        <p>
          <strong>No series.</strong> No series match now: the condition is false, or no sender has this metric.
        </p>
      )
    case 'value':
      return (
        <OneValue text={readable(view.text)} title={view.text}>
          <Labels labels={view.labels} />
        </OneValue>
      )
    case 'table':
      return <ResultTable view={view} />
  }
}

interface OneValueProps {
  readonly text: string
  readonly title: string
  readonly children?: ReactNode
}

/** An answer that is one value. */
export function OneValue({ text, title, children }: OneValueProps): ReactNode {
  return (
    <p className={classNames(styles.value, 'row row-text')}>
      <span className="nums" title={title}>
        {text}
      </span>
      {children}
    </p>
  )
}

type TableView = Extract<PromqlView, { kind: 'table' }>
type ResultRow = TableView['rows'][number]

function ResultTable({ view }: { readonly view: TableView }): ReactNode {
  const [isWhole, setIsWhole] = useState(false)
  const rows = isWhole ? view.rows : view.rows.slice(0, ROWS_FIRST)
  return (
    <>
      <DataTable
        label="Series"
        look="prose"
        isScrollable
        className="result-table"
        columns={[
          ...view.columns.map((name, i): Column<ResultRow> => ({
            id: name,
            head: name,
            cell: ({ cells }) => cells[i],
          })),
          {
            id: ' value',
            head: 'value',
            kind: 'number',
            cell: ({ value }) => readable(value),
            title: ({ value }) => value,
          },
        ]}
        rows={rows}
        rowKey={({ key }) => key}
      />
      {view.rows.length > rows.length ? (
        <Button
          variant="inline"
          onClick={() => {
            setIsWhole(true)
          }}
        >
          Show all {countOf(view.rows.length, 'series', 'series')}
        </Button>
      ) : null}
      <Labels labels={view.shared} />
    </>
  )
}

/** A number in short; a text (`string` results) as it is. */
function readable(text: string): string {
  const value = parseValue(text)
  return Number.isNaN(value) && text !== 'NaN' ? text : formatValue(value)
}

function Labels({ labels }: { readonly labels: readonly Label[] }): ReactNode {
  if (labels.length === 0) return null
  return <span className="mono quiet text-tiny">{labels.map(([name, value]) => `${name}="${value}"`).join('  ')}</span>
}
