import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { clusterPath, upgradePath, upgradesPath } from '../../lib/paths.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { formatSpanNs } from '../../lib/format-time.ts'
import { spanWords, traceTitle, type TracedUpgrade } from '../../lib/trace-phases.ts'
import { attributeOf, type Trace } from '../../lib/trace.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Moment } from '../../ui/time.tsx'
import styles from './trace-head.module.css'

interface TraceHeadProps {
  readonly trace: Trace
  readonly upgrade: TracedUpgrade | undefined
  readonly pathNs: ReadonlyMap<number, number>
}

/** The attribute in which Jaeger's API carries warnings. */
const WARNINGS_ATTRIBUTE = '@jaeger@warnings'

/** Title and numbers of a trace. */
export function TraceHead({ trace, upgrade, pathNs }: TraceHeadProps): ReactNode {
  const { spans, durationNs, startMs, traceId } = trace
  const errors = spans.filter(({ isError }) => isError).length
  const services = new Set(spans.map(({ service }) => service))
  const roots = spans.filter(({ parent }) => parent === -1)
  return (
    <>
      <div className="row row-text row-apart">
        <h1>{traceTitle(trace)}</h1>
        <span className="row quiet text-small">
          <code>{traceId}</code>
          <CopyButton text={traceId} label="Copy the trace's id" />
        </span>
      </div>
      {upgrade === undefined ? null : <UpgradeLine upgrade={upgrade} />}
      <dl className={`row row-text ${styles.numbers}`}>
        <Figure
          name="Duration"
          value={<TakenTime durationNs={durationNs} isRunning={upgrade?.isProvisional === true} />}
        />
        <Figure name="Started" value={<Moment atMs={startMs} />} />
        <Figure name="Spans" value={formatCount(spans.length)} />
        <Figure name="Services" value={[...services].sort().slice(0, 3).join(', ') + moreOf(services.size)} />
        <Figure
          name="Errors"
          value={
            errors === 0 ? (
              'none'
            ) : (
              <span className="tone-critical">
                <Shape name="cross" /> {countOf(errors, 'span')}
              </span>
            )
          }
        />
        <Figure name="Critical path" value={<LongestOnPath trace={trace} pathNs={pathNs} />} />
      </dl>
      {spans.some(({ attributes }) => attributeOf(attributes, WARNINGS_ATTRIBUTE) !== undefined) ? (
        <Notice kind="partial" title="Incomplete trace">
          The trace reached store.trace-spans-max or store.trace-bytes-max: later spans were refused.
        </Notice>
      ) : null}
      {roots.length > 1 ? (
        <p className="quiet">
          {countOf(roots.length, 'span')} have no stored parent,{' '}
          {formatCount(roots.filter((one) => one.isOrphan).length)} of them because the parent was not sent or is not
          stored: the trace may be incomplete.
        </p>
      ) : null}
    </>
  )
}

/** The duration; of a trace that has not ended, at least the duration of what was received. */
export function TakenTime(props: { readonly durationNs: number; readonly isRunning: boolean }): ReactNode {
  const { durationNs, isRunning } = props
  if (!isRunning) return formatSpanNs(durationNs)
  if (durationNs === 0) return 'just started'
  return (
    <span title="Not ended: duration up to the last report">
      <span className="visually-hidden">at least </span>
      <span aria-hidden="true">≥ </span>
      {formatSpanNs(durationNs)}
    </span>
  )
}

function moreOf(count: number): string {
  return count > 3 ? ` and ${formatCount(count - 3)} more` : ''
}

function UpgradeLine({ upgrade }: { readonly upgrade: TracedUpgrade }): ReactNode {
  const { cluster, operator, id, isProvisional } = upgrade
  return (
    <p className="space-below">
      Upgrade of {operator} on <Link href={clusterPath(cluster)}>{cluster}</Link>
      {isProvisional ? ', still active' : ''}.{' '}
      {id === undefined ? (
        <Link href={upgradesPath({ cluster })}>Upgrades of the cluster</Link>
      ) : (
        <Link href={upgradePath(id)}>Evidence, baseline and alerts of the upgrade</Link>
      )}
    </p>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: ReactNode }): ReactNode {
  return (
    <div>
      <dt className="quiet text-tiny">{name}</dt>
      <dd className="nums">{value}</dd>
    </div>
  )
}

/** The span with most of the critical path. */
export function LongestOnPath({ trace, pathNs }: Omit<TraceHeadProps, 'upgrade'>): ReactNode {
  const [place, ns] = [...pathNs].reduce((most, one) => (one[1] > most[1] ? one : most), [-1, 0])
  const span = trace.spans[place]
  if (span === undefined) return ns === 0 ? 'no time' : `${formatShare(ns, trace.durationNs)} between spans`
  return `${formatShare(ns, trace.durationNs)} ${spanWords(span)}`
}
