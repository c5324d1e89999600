import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { tracePath } from '../../lib/paths.ts'
import { countOf, formatShare } from '../../lib/format-number.ts'
import { formatDifferenceNs, formatSpanNs } from '../../lib/format-time.ts'
import { spanWords } from '../../lib/trace-phases.ts'
import type { TextAttribute, Trace, TraceSpan } from '../../lib/trace.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FactList } from '../../ui/fact-list.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Moment } from '../../ui/time.tsx'
import styles from './span-detail.module.css'

interface SpanDetailProps {
  readonly trace: Trace
  readonly span: TraceSpan
  readonly pathNs: number
  readonly closeHref: string
}

/** One span with all its attributes, events and links. */
export function SpanDetail({ trace, span, pathNs, closeHref }: SpanDetailProps): ReactNode {
  const lengthNs = span.toNs - span.fromNs
  const words = spanWords(span)
  return (
    <aside className={styles.root} aria-label={`Span ${words}`}>
      <header className="row row-nowrap row-text row-apart">
        <h2>{words}</h2>
        <Link href={closeHref} replace>
          Close
        </Link>
      </header>
      {span.isError ? (
        <p className="tone-critical spaced">
          <Shape name="cross" /> Error{span.statusText === '' ? ': no message reported' : `: ${span.statusText}`}
        </p>
      ) : null}
      {span.isOrphan ? <p className="quiet">The parent span is missing: it was not sent, or is not stored.</p> : null}
      <FactList
        facts={[
          { name: 'Duration', value: <span className="nums">{formatSpanNs(lengthNs)}</span> },
          { name: 'Start', value: <span className="nums">{formatDifferenceNs(span.fromNs)} from the start</span> },
          { name: 'Time', value: <Moment atMs={trace.startMs + span.fromNs / 1e6} /> },
          {
            name: 'Critical path',
            value:
              pathNs === 0
                ? 'not on it'
                : `${formatSpanNs(pathNs)}, ${formatShare(pathNs, trace.durationNs)} of the trace`,
          },
          { name: 'Name', value: span.name },
          { name: 'Service', value: span.service },
          { name: 'Kind', value: span.kind },
          {
            name: 'Id',
            value: (
              <>
                <code>{span.spanId}</code> <CopyButton text={span.spanId} label="Copy the span's id" />
              </>
            ),
          },
        ]}
      />
      <Attributes title="Attributes" attributes={span.attributes} />
      {span.events.length === 0 ? null : (
        <section>
          <h3 className="panel-part-head">{countOf(span.events.length, 'event')}</h3>
          <ol className={`text-small ${styles.events}`}>
            {span.events.map((event, i) => (
              <li key={i}>
                <span className="nums quiet">{formatDifferenceNs(event.atNs)}</span> <strong>{event.name}</strong>
                <span className="row">
                  {event.attributes.map(({ key, text }) => (
                    <span key={key}>
                      {key}=<code>{text}</code>
                    </span>
                  ))}
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
      {span.links.length === 0 ? null : (
        <section>
          <h3 className="panel-part-head">{countOf(span.links.length, 'link')}</h3>
          <ul className="text-small">
            {span.links.map(({ traceId, spanId }) => (
              <li key={traceId + spanId}>
                <Link href={tracePath(traceId, { span: spanId })}>
                  span {spanId}
                  {traceId === trace.traceId ? ' of this trace' : ` of trace ${traceId.slice(0, 8)}…`}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Attributes title="Resource" attributes={span.resource} />
      {span.scope === '' ? null : <FactList facts={[{ name: 'Scope', value: <code>{span.scope}</code> }]} />}
    </aside>
  )
}

interface AttributesProps {
  readonly title: string
  readonly attributes: readonly TextAttribute[]
}

function Attributes({ title, attributes }: AttributesProps): ReactNode {
  if (attributes.length === 0) return null
  return (
    <section>
      <h3 className="panel-part-head">{title}</h3>
      <dl className={`text-small ${styles.attributes}`}>
        {attributes.map(({ key, text }, i) => (
          <div key={`${key} ${i}`}>
            <dt className="quiet">{key}</dt>
            <dd>{text === '' ? <span className="quiet">(empty)</span> : text}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
