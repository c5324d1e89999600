import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { AskParams } from '../../lib/adoption-call.ts'
import type { AdoptionView, PanelName } from '../../lib/adoption-view.ts'
import { classNames } from '../../ui/class-names.ts'
import { Choice } from '../../ui/choice.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import { BasisChip, type Basis } from './basis-chip.tsx'
import { CiteDialog, CiteNotice } from './cite-dialog.tsx'
import styles from './chart-panel.module.css'

/** The properties of every panel of the adoption page. */
export interface AdoptionPart {
  readonly view: AdoptionView
  readonly change: (part: Partial<AdoptionView>) => void
  /** The days, and the selected moment if any. */
  readonly asked: AskParams
}

interface ChartPanelProps<T> extends AdoptionPart {
  readonly name: PanelName
  readonly title: string
  /** Explains the chart in a sentence. */
  readonly lead: ReactNode
  readonly query: UseQueryResult<T>
  readonly basisOf: (answer: T) => Basis
  /** The API path, for any days. */
  readonly callFor: (asked: AskParams) => string
  readonly promql: string
  /** Controls of this panel. */
  readonly tools?: ReactNode
  readonly chart: (answer: T) => ReactNode
  /** The same numbers as a table; absent where `chart` is a table already. */
  readonly table?: (answer: T) => ReactNode
}

/** A panel of numbers as a chart or a table, with coverage and citation. */
export function ChartPanel<T>(props: ChartPanelProps<T>): ReactNode {
  const { name, title, lead, query, basisOf, callFor, promql, tools, chart, table, view, change, asked } = props
  const isTable = view.tables.includes(name)
  const { data } = query
  return (
    <Panel
      id={name}
      title={title}
      className={classNames(styles.root, query.isPlaceholderData && styles.refreshing)}
      aside={
        data === undefined ? undefined : (
          <BasisChip
            basis={basisOf(data)}
            onOpen={() => {
              change({ shows: 'denominator' })
            }}
          />
        )
      }
    >
      <p className="quiet narrow">{lead}</p>
      <div className="row row-controls spaced">
        {tools}
        {table === undefined ? null : (
          <Choice
            label={`${title} as`}
            options={{ chart: 'Chart', table: 'Table' }}
            value={isTable ? 'table' : 'chart'}
            onChange={(shape) => {
              const others = view.tables.filter((one) => one !== name)
              change({ tables: shape === 'table' ? [...others, name] : others })
            }}
          />
        )}
        <DialogButton
          size="sm"
          isDisabled={data === undefined}
          aria-label={`Cite: ${title}`}
          renderDialog={(close) =>
            data === undefined ? null : (
              <CiteDialog {...{ name, title, view, asked, callFor, promql }} basis={basisOf(data)} onClose={close} />
            )
          }
        >
          Cite
        </DialogButton>
      </div>
      <Answer query={query} what={title.toLowerCase()}>
        {(answer) => (
          <>
            <CiteNotice name={name} view={view} change={change} digest={basisOf(answer).digest} />
            {isTable && table !== undefined ? table(answer) : chart(answer)}
          </>
        )}
      </Answer>
      <ApiCallNote call={{ path: callFor(asked) }} />
    </Panel>
  )
}

interface ChartBesideProps {
  /** The table of the numbers at the pointed place. */
  readonly legend: ReactNode
  readonly children: ReactNode
}

/** A chart and its legend side by side, or one below the other where that is too narrow. */
export function ChartBeside({ legend, children }: ChartBesideProps): ReactNode {
  return (
    <div className={styles.beside}>
      <div>{children}</div>
      <div className={styles.legend}>{legend}</div>
    </div>
  )
}
