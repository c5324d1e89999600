import { useMemo, useState, type ReactNode } from 'react'
import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { formatUnit, type FormatContext } from '../../lib/dashboards/format-unit.ts'
import { plainColumn, type TableRow } from '../../lib/dashboards/table.ts'
import { countOf, parseValue } from '../../lib/format-number.ts'
import { formatMoment, withMilliseconds } from '../../lib/format-time.ts'
import { rawSamples, type RawSample } from '../../lib/promql/range-vector.ts'
import { seriesName, splitLabels } from '../../lib/promql-table.ts'
import { labelColumns, SeriesTable, SharedLabels } from './label-links.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './samples-result.module.css'
import { DataTable } from '../../ui/data-table.tsx'

type Matrix = Extract<QueryAnswer['data'], { resultType: 'matrix' }>['result']

interface SamplesResultProps {
  readonly title: string
  readonly series: Matrix
  /** A unit of Perses. */
  readonly unit: string
  readonly formatContext: FormatContext
}

/** A range vector: how many samples each series has and its last one; of one series every sample, when it was taken. */
export function SamplesResult({ title, series, unit, formatContext }: SamplesResultProps): ReactNode {
  const { rows, columns, seriesOf, shared } = useMemo(() => rowsOf(series), [series])
  const [chosen, setChosen] = useState<Matrix[number] | undefined>()
  const open = series.length === 1 ? series[0] : chosen !== undefined && series.includes(chosen) ? chosen : undefined
  return (
    <>
      {series.length === 1 ? null : (
        <SeriesTable
          title={title}
          rows={rows}
          // The number of samples is in sight, however many labels there are.
          columns={[
            plainColumn('samples'),
            ...labelColumns(columns),
            { ...plainColumn('last value'), align: 'right', sort: 'desc', format: { unit } },
          ]}
          formatContext={formatContext}
          labelsOf={(row) => seriesOf.get(row)?.metric}
          renderCell={(row, column, text) => {
            const one = seriesOf.get(row)
            if (one === undefined || column !== 'samples') return undefined
            return (
              <Button
                variant="inline"
                aria-label={`Show ${text} samples of ${seriesName(one.metric)}`}
                aria-expanded={one === open}
                onClick={() => {
                  setChosen(one === open ? undefined : one)
                }}
              >
                {text}
              </Button>
            )
          }}
        />
      )}
      {open === undefined ? null : <Samples series={open} unit={unit} formatContext={formatContext} />}
      <SharedLabels labels={shared} />
    </>
  )
}

function rowsOf(series: Matrix) {
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

interface SamplesProps extends Omit<SamplesResultProps, 'title' | 'series'> {
  readonly series: Matrix[number]
}

function Samples({ series, unit, formatContext }: SamplesProps): ReactNode {
  const samples = useMemo(() => rawSamples(series).toReversed(), [series])
  const name = seriesName(series.metric)
  const left = samples.length - SAMPLES_MAX
  return (
    <section className={`text-small spaced ${styles.root}`} aria-label={`Samples of ${name}`}>
      <p>
        {countOf(samples.length, 'sample')} of <code>{name}</code>, the newest first
        {left > 0 ? `; ${countOf(left, 'older one is', 'older ones are')} not shown, Save exports all` : ''}
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
          { head: 'Since the previous sample', kind: 'number', cell: gapText },
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
