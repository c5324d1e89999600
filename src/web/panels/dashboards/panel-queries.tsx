import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { explainPath, useExplain } from '../../query/use-query-answers.ts'
import { promqlPath } from '../../lib/paths.ts'
import type { DashboardPanel, PrometheusQuery } from '../../../model/dashboard.ts'
import type { PanelAnswers } from '../../query/use-dashboards.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import type { ExplainedNode } from '../../../contract/explain.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { Answer } from '../answer.tsx'
import styles from './panel-queries.module.css'

interface PanelQueriesProps {
  readonly panel: DashboardPanel
  readonly answers: PanelAnswers
}

/** The queries of a panel: with current values, as in the file, as a command, and explained. */
export function PanelQueries({ panel, answers }: PanelQueriesProps): ReactNode {
  const queries = panel.queries.filter((query): query is PrometheusQuery => query.kind === 'prometheus')
  return (
    <section aria-label="Queries" className={styles.root}>
      <h2>{queries.length === 1 ? 'Query' : 'Queries'}</h2>
      {queries.map((query, i) => {
        const asked = answers.requests[i]
        if (asked === undefined) return null
        return (
          <div key={i} className={styles.query}>
            <CodeBlock
              what={queries.length === 1 ? 'query' : `query ${i + 1}`}
              text={asked.expr}
              bar={<Link href={promqlPath(asked.expr)}>Explore</Link>}
            >
              {asked.expr}
            </CodeBlock>
            {query.expr === asked.expr ? null : (
              <details>
                <summary>Definition in the file</summary>
                <pre className="text-tiny wraps spaced">{query.expr}</pre>
              </details>
            )}
            <ExplainNote path={explainPath(asked.path)} />
            <ApiCallNote call={{ path: asked.path }} title="Copy as curl" />
          </div>
        )
      })}
    </section>
  )
}

/** The explained query: each part with its reads, its result and its duration. */
function ExplainNote({ path }: { readonly path: string }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const query = useExplain(path, isOpen)
  return (
    <details
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open)
      }}
    >
      <summary>Explain</summary>
      {isOpen ? (
        <Answer query={query} what="query plan" skeletonLines={3}>
          {({ root }) => (
            <ul className={`text-small ${styles.explain}`}>
              <Node node={root} />
            </ul>
          )}
        </Answer>
      ) : null}
    </details>
  )
}

function Node({ node }: { readonly node: ExplainedNode }): ReactNode {
  const { text, result, totalMs, reads, children } = node
  return (
    <li>
      <code>{text}</code>
      <span className="quiet nums">
        {result === undefined
          ? ''
          : `${countOf(result.series, 'series', 'series')}, ${countOf(result.samples, 'sample')}, `}
        {totalMs.toFixed(1)} ms
      </span>
      {reads.map((read, i) => (
        <span key={i} className="quiet nums">
          read {read.source}: {formatCount(read.seriesRead)} of {countOf(read.seriesMatched, 'series', 'series')},{' '}
          {countOf(read.samples, 'sample')}
        </span>
      ))}
      {children.length === 0 ? null : (
        <ul>
          {children.map((child, i) => (
            <Node key={i} node={child} />
          ))}
        </ul>
      )}
    </li>
  )
}
