import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { DashboardPanel, PrometheusQuery } from '../../../model/dashboard.ts'
import { explainPath } from '../../query/use-query-answers.ts'
import type { PanelAnswers } from '../../query/use-dashboards.ts'
import { promqlPath } from '../../lib/paths.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import { ExplainNote } from './explain-note.tsx'
import styles from './panel-queries.module.css'

interface PanelQueriesProps {
  readonly panel: DashboardPanel
  readonly answers: PanelAnswers
}

/** What a panel asks: as it is asked now, as the file has it, as a command, and how it is answered. */
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
                <summary>As the file has it</summary>
                <pre className={styles.raw}>{query.expr}</pre>
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
