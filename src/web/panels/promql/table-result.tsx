import { useMemo, type ReactNode } from 'react'
import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { formatUnit, type FormatContext } from '../../lib/dashboards/format-unit.ts'
import { plainColumn, type TableRow } from '../../lib/dashboards/table.ts'
import { formatCount, formatValue, parseValue } from '../../lib/format-number.ts'
import { bucketsOf, meanOf, type SampleHistogram } from '../../lib/promql/native-buckets.ts'
import { splitLabels } from '../../lib/promql-table.ts'
import type { TableAnswer } from '../../query/use-query-answers.ts'
import { BlockChart } from '../../ui/block-chart.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { serverNowMs } from '../../ui/server-clock.ts'
import { OneValue } from '../promql-result.tsx'
import { labelColumns, SeriesTable, SharedLabels } from './label-links.tsx'
import { SamplesResult } from './samples-result.tsx'
import styles from './table-result.module.css'

interface TableResultProps {
  readonly title: string
  readonly result: TableAnswer
  /** A unit of Perses. */
  readonly unit: string
}

/** The answer at one moment: a value, a row for each series, or of a range vector the samples before it. */
export function TableResult({ title, result, unit }: TableResultProps): ReactNode {
  const { zone } = usePreferences()
  const { data } = result.answer
  const formatContext: FormatContext = { zone, nowMs: serverNowMs() }
  const { rows, columns, sampleOf, shared } = useMemo(() => rowsOf(data), [data])
  if (data.resultType === 'string') return <p className="mono wraps">{data.result[1]}</p>
  if (data.resultType === 'matrix') {
    return <SamplesResult title={title} series={data.result} unit={unit} formatContext={formatContext} />
  }
  if (data.resultType === 'scalar')
    return <OneValue text={formatUnit(parseValue(data.result[1]), { unit }, formatContext)} title={data.result[1]} />
  const [only] = rows
  if (rows.length === 1 && only !== undefined && sampleOf.get(only)?.histogram === undefined) {
    const text = sampleOf.get(only)?.text ?? ''
    return (
      <>
        <OneValue text={formatUnit(parseValue(text), { unit }, formatContext)} title={text} />
        <SharedLabels labels={shared} />
      </>
    )
  }
  return (
    <>
      <SeriesTable
        title={title}
        rows={rows}
        // The largest value first: most queries of many series look for it.
        columns={[
          ...labelColumns(columns),
          { ...plainColumn('value'), align: 'right', sort: 'desc', format: { unit } },
        ]}
        formatContext={formatContext}
        labelsOf={(row) => sampleOf.get(row)?.labels}
        renderCell={(row, column, text) => {
          if (column !== 'value') return undefined
          const sample = sampleOf.get(row)
          if (sample?.histogram === undefined) return <span title={sample?.text}>{text}</span>
          return <Histogram histogram={sample.histogram} unit={unit} formatContext={formatContext} />
        }}
      />
      <SharedLabels labels={shared} />
    </>
  )
}

/** A sample behind a row: what cells do not hold. */
interface RowSample {
  readonly labels: Readonly<Record<string, string>>
  /** As the server wrote it. */
  readonly text: string
  readonly histogram: SampleHistogram | undefined
}

function rowsOf(data: QueryAnswer['data']) {
  const vector = data.resultType === 'vector' ? data.result : []
  const { columns: names, shared } = splitLabels(vector.map(({ metric }) => metric))
  // A label may be called as the column of the values is.
  const columns = names.map((name) => (name === 'value' ? 'label value' : name))
  const sampleOf = new Map<TableRow, RowSample>()
  const rows = vector.map(({ metric, value, histogram }): TableRow => {
    const labels = names.map((name, i) => [columns[i] ?? name, metric[name] ?? ''] as const)
    const text = value?.[1] ?? ''
    const number = histogram === undefined ? parseValue(text) : meanOf(histogram[1])
    const row: TableRow = { ...Object.fromEntries(labels), value: number }
    sampleOf.set(row, { labels: metric, text, histogram: histogram?.[1] })
    return row
  })
  return { rows, columns, sampleOf, shared }
}

interface HistogramProps {
  readonly histogram: SampleHistogram
  readonly unit: string
  readonly formatContext: FormatContext
}

/** A native histogram in a cell: its shape, how many were observed, and their mean. */
function Histogram({ histogram, unit, formatContext }: HistogramProps): ReactNode {
  const buckets = bucketsOf(histogram)
  const counts = buckets.map(({ count }) => count)
  const write = (value: number): string => formatUnit(value, { unit }, formatContext)
  const [first, last] = [buckets[0], buckets.at(-1)]
  const count = parseValue(histogram.count)
  const range = first === undefined || last === undefined ? '' : `, from ${write(first.lower)} to ${write(last.upper)}`
  const says = `${formatValue(count)} observed${range}`
  return (
    <span className={`inline-row ${styles.histogram}`} title={says}>
      <BlockChart values={counts} most={Math.max(1, ...counts)} label={says} />
      <span>
        <span className="quiet">count</span> {formatCount(count)}
      </span>
      <span>
        <span className="quiet">mean</span> {count > 0 ? write(meanOf(histogram)) : '–'}
      </span>
    </span>
  )
}
