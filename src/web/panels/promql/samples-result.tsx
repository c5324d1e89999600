import { useMemo, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { formatUnit, type FormatContext } from '../../lib/dashboards/format-unit.ts'
import { plainColumn, type TableRow } from '../../lib/dashboards/table.ts'
import { countOf, parseValue } from '../../lib/format-number.ts'
import { formatMoment, withMilliseconds } from '../../lib/format-time.ts'
import { rawSamples, type RawSample } from '../../lib/promql/range-vector.ts'
import { seriesName, splitLabels } from '../../lib/promql-table.ts'
import { TablePanel } from '../dashboards/table-panel.tsx'
import { pageOfLabel, SharedLabels } from './label-links.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './samples-result.module.css'
import tableStyles from './table-result.module.css'
import { DataTable } from '../../ui/data-table.tsx'

type Matrix = Extract<QueryAnswer['data'], { resultType: 'matrix' }>['result']

interface SamplesResultProps {
  readonly title: string
  readonly series: Matrix
  /** A unit of Perses. */
  readonly unit: string
  readonly formatContext: FormatContext
}

const NO_VALUES = new Map<string, never>()
/** Rows that are found faster by reading than by typing. */
const READ_MAX = 20

/** A range vector: how many samples each series has and its last one; of one series every sample, when it was taken. */
export function SamplesResult({ title, series, unit, formatContext }: SamplesResultProps): ReactNode {
  const { rows, columns, seriesOf, shared } = useMemo(() => rowsOf(series), [series])
  const [chosen, setChosen] = useState<Matrix[number] | undefined>()
  const open = series.length === 1 ? series[0] : chosen !== undefined && series.includes(chosen) ? chosen : undefined
  return (
    <>
      {series.length === 1 ? null : (
        <div className={tableStyles.root}>
          <TablePanel
            title={title}
            rows={rows}
            options={{
              columns: [
                // In sight, however many labels there are.
                plainColumn('samples'),
                ...columns.map((name) => ({ ...plainColumn(name), header: name === '__name__' ? 'metric' : '' })),
                { ...plainColumn('last value'), align: 'right', sort: 'desc', format: { unit } },
              ],
              isColumnHidden: true,
              cells: [],
              density: 'standard',
              canFilter: rows.length > READ_MAX,
            }}
            values={NO_VALUES}
            formatContext={formatContext}
            renderCell={(row, column, text) => {
              const one = seriesOf.get(row)
              if (one === undefined) return undefined
              if (column === 'samples') {
                return (
                  <Button
                    variant="link"
                    size="sm"
                    isInline
                    aria-label={`Show ${text} samples of ${seriesName(one.metric)}`}
                    aria-expanded={one === open}
                    onClick={() => {
                      setChosen(one === open ? undefined : one)
                    }}
                  >
                    {text}
                  </Button>
                )
              }
              const page = pageOfLabel(column, one.metric[column] ?? '')
              return page === undefined ? undefined : <Link href={page}>{text}</Link>
            }}
          />
        </div>
      )}
      {open === undefined ? null : <Samples series={open} unit={unit} formatContext={formatContext} />}
      <SharedLabels labels={shared} />
    </>
  )
}

function rowsOf(series: Matrix): {
  readonly rows: readonly TableRow[]
  readonly columns: readonly string[]
  readonly seriesOf: ReadonlyMap<TableRow, Matrix[number]>
  readonly shared: ReturnType<typeof splitLabels>['shared']
} {
  const { columns, shared } = splitLabels(series.map(({ metric }) => metric))
  const seriesOf = new Map<TableRow, Matrix[number]>()
  const rows = series.map((one): TableRow => {
    const { metric, values = [], histograms = [] } = one
    const last = values.at(-1)
    const row: TableRow = {
      ...Object.fromEntries(columns.map((name) => [name, metric[name] ?? ''])),
      samples: values.length + histograms.length,
      'last value': last === undefined ? null : parseValue(last[1]),
    }
    seriesOf.set(row, one)
    return row
  })
  return { rows, columns, seriesOf, shared }
}

const SAMPLES_MAX = 500

function Samples(
  props: Pick<SamplesResultProps, 'unit' | 'formatContext'> & { readonly series: Matrix[number] },
): ReactNode {
  const { series, unit, formatContext } = props
  const samples = useMemo(() => rawSamples(series).toReversed(), [series])
  const name = seriesName(series.metric)
  const left = samples.length - SAMPLES_MAX
  return (
    <section className={`text-small ${styles.root}`} aria-label={`Samples of ${name}`}>
      <p>
        {countOf(samples.length, 'sample')} of <code>{name}</code>, the newest first
        {left > 0 ? `; ${countOf(left, 'older one is', 'older ones are')} not shown, Save has all` : ''}
      </p>
      <DataTable
        label={`Samples of ${name}`}
        look="prose"
        isScrollable
        rows={samples.slice(0, SAMPLES_MAX)}
        rowKey={({ timeSeconds }) => timeSeconds}
        columns={[
          {
            head: 'Time',
            className: 'nums',
            title: ({ timeSeconds }) => String(timeSeconds),
            cell: ({ timeSeconds }) =>
              withMilliseconds(formatMoment(timeSeconds * 1000, formatContext.zone), timeSeconds * 1000),
          },
          { head: 'After the one before', kind: 'number', cell: gapText },
          {
            head: 'Value',
            kind: 'number',
            title: ({ text }) => text,
            cell: ({ text }) =>
              text.startsWith('count') ? text : formatUnit(parseValue(text), { unit }, formatContext),
          },
        ]}
      />
    </section>
  )
}

function gapText({ afterSeconds }: RawSample): ReactNode {
  return afterSeconds === undefined ? <span className="quiet">–</span> : `${Number(afterSeconds.toFixed(3))} s`
}
