import { useMemo, type ReactNode } from 'react'
import { Link } from 'wouter'
import { criticalPath } from '../../lib/critical-path.ts'
import { tracePath } from '../../lib/paths.ts'
import { formatDifferenceNs, formatSpanNs } from '../../lib/format-time.ts'
import { traceDiff, type PhaseDiff, type SpanDiff } from '../../lib/trace-diff.ts'
import { spanWords, tracedUpgrade, traceTitle } from '../../lib/trace-phases.ts'
import type { TraceShow } from '../../lib/trace-view.ts'
import type { Trace } from '../../lib/trace.ts'
import { traceCall, useTrace } from '../../query/use-traces.ts'
import { Choice } from '../../ui/choice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import { DiffBars, DiffTable } from './span-diffs.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './trace-comparison.module.css'
import { DataTable, type Column } from '../../ui/data-table.tsx'

interface TraceComparisonProps {
  readonly here: Trace
  /** Id of the other trace. */
  readonly than: string
  readonly show: TraceShow
  readonly onShow: (show: TraceShow) => void
  /** This trace alone. */
  readonly aloneHref: string
  /** Where another one to compare with is chosen. */
  readonly otherHref: string
}

/** Two traces beside each other: what the difference of their durations went to. */
export function TraceComparison({ than, aloneHref, otherHref, ...props }: TraceComparisonProps): ReactNode {
  const query = useTrace(than)
  return (
    <section aria-label="Compared with another trace">
      <p className="space-below">
        <Link href={aloneHref}>Show this trace alone</Link> <span aria-hidden="true">·</span>{' '}
        <Link href={otherHref}>Compare with another trace</Link>
      </p>
      <Answer query={query} what="the trace to compare with" skeletonLines={10}>
        {({ trace }) => <Compared there={trace} {...props} />}
      </Answer>
      <ApiCallNote call={{ path: traceCall(than) }} title="API call of the other trace" />
    </section>
  )
}

interface ComparedProps extends Pick<TraceComparisonProps, 'here' | 'show' | 'onShow'> {
  readonly there: Trace
}

function Compared({ here, there, show, onShow }: ComparedProps): ReactNode {
  const diff = useMemo(() => traceDiff(here, there), [here, there])
  const running = runningWords(isRunning(here), isRunning(there))
  const hrefOf = (row: SpanDiff): string | undefined => {
    const span = row.here === undefined ? there.spans[row.there ?? -1] : here.spans[row.here]
    return span && tracePath(row.here === undefined ? there.traceId : here.traceId, { span: span.spanId })
  }
  return (
    <>
      <p className="nums space-below">
        <strong>{formatSpanNs(here.durationNs)}</strong>, {differenceWords(diff.differenceNs)}{' '}
        <Link href={tracePath(there.traceId)}>{traceTitle(there)}</Link> ({formatSpanNs(there.durationNs)}).{' '}
        {mostWords(diff.rows[0])}
      </p>
      {running === '' ? null : (
        <p>
          <strong>{running} still running:</strong> the missing part of a trace is not time saved.
        </p>
      )}
      <Panel title="Critical paths" aside="aligned at the start, same scale; a line marks the end of a span">
        <PathLanes here={here} there={there} />
      </Panel>
      {diff.phases.length === 0 ? null : (
        <Panel title="Phases" aside="time during which any span of the phase was active">
          <PhaseDiffTable phases={diff.phases} />
        </Panel>
      )}
      <Panel
        title="Difference by span"
        aside={
          <Choice label="Show as" options={{ waterfall: 'Bars', table: 'Table' }} value={show} onChange={onShow} />
        }
      >
        <p className="quiet">
          Time on the critical path; the rows add up to the total difference. Spans are matched by their names and the
          names of their parents.
        </p>
        {show === 'table' ? (
          <DiffTable rows={diff.rows} hrefOf={hrefOf} />
        ) : (
          <DiffBars rows={diff.rows} differenceNs={diff.differenceNs} hrefOf={hrefOf} />
        )}
      </Panel>
    </>
  )
}

function isRunning(trace: Trace): boolean {
  return tracedUpgrade(trace)?.isProvisional === true
}

function runningWords(isHere: boolean, isThere: boolean): string {
  if (isHere && isThere) return 'Both traces are'
  return isHere ? 'This trace is' : isThere ? 'The other trace is' : ''
}

function differenceWords(ns: number): string {
  if (ns === 0) return 'exactly as long as'
  return `${formatSpanNs(Math.abs(ns))} ${ns > 0 ? 'longer' : 'shorter'} than`
}

function mostWords(row: SpanDiff | undefined): ReactNode {
  if (row === undefined || row.pathDifferenceNs === 0) return 'No span differs.'
  return (
    <>
      Largest part: <strong>{row.text}</strong>, {formatDifferenceNs(row.pathDifferenceNs)}.
    </>
  )
}

function PathLanes({ here, there }: Pick<ComparedProps, 'here' | 'there'>): ReactNode {
  const longestNs = Math.max(1, here.durationNs, there.durationNs)
  const lanes = [
    { text: 'This trace', trace: here },
    { text: 'Other trace', trace: there },
  ]
  return (
    <table className={`lane-table whole-width ${styles.lanes}`} aria-label="Critical paths">
      <tbody>
        {lanes.map(({ text, trace }) => (
          <tr key={text}>
            <th scope="row">{text}</th>
            <td>
              <div className={styles.lane} role="img" aria-label={pathWords(trace)}>
                {criticalPath(trace).map(({ span, fromNs, toNs }) => (
                  <span
                    key={fromNs}
                    className={classNames('piece one-line text-tiny', styles.piece, span === -1 && styles.isBetween)}
                    title={`${wordsOf(trace, span)}: ${formatSpanNs(toNs - fromNs)}`}
                    style={{
                      insetInlineStart: `${(100 * fromNs) / longestNs}%`,
                      inlineSize: `${(100 * (toNs - fromNs)) / longestNs}%`,
                    }}
                  >
                    {wordsOf(trace, span)}
                  </span>
                ))}
              </div>
            </td>
            <td className="cell-number nums">{formatSpanNs(trace.durationNs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function wordsOf({ spans }: Trace, place: number): string {
  const span = spans[place]
  return span === undefined ? 'between spans' : spanWords(span)
}

const PIECES_MAX = 12

function pathWords(trace: Trace): string {
  const path = criticalPath(trace)
  const pieces = path
    .slice(0, PIECES_MAX)
    .map(({ span, fromNs, toNs }) => `${wordsOf(trace, span)} ${formatSpanNs(toNs - fromNs)}`)
  return `${pieces.join(', ')}${path.length > PIECES_MAX ? `, and ${path.length - PIECES_MAX} more` : ''}`
}

function PhaseDiffTable({ phases }: { readonly phases: readonly PhaseDiff[] }): ReactNode {
  return <DataTable label="Phases of both" columns={PHASE_COLUMNS} rows={phases} rowKey={({ text }) => text} />
}

const PHASE_COLUMNS: readonly Column<PhaseDiff>[] = [
  { head: 'Phase', cell: ({ text }) => text },
  figure('This trace', ({ isIn, hereNs }) => (isIn === 'there' ? <None /> : formatSpanNs(hereNs))),
  figure('Other trace', ({ isIn, thereNs }) => (isIn === 'here' ? <None /> : formatSpanNs(thereNs))),
  figure('Difference', ({ hereNs, thereNs }) => differenceOrSame(hereNs - thereNs)),
  {
    ...figure('On the critical path', ({ herePathNs, therePathNs }) => differenceOrSame(herePathNs - therePathNs)),
    isHiddenOnPhone: true,
  },
]

function figure(head: string, cell: (phase: PhaseDiff) => ReactNode): Column<PhaseDiff> {
  return { id: head, head, kind: 'number', cell }
}

function None(): ReactNode {
  return <span className="quiet">none</span>
}

function differenceOrSame(ns: number): ReactNode {
  return ns === 0 ? <span className="quiet">same</span> : formatDifferenceNs(ns)
}
