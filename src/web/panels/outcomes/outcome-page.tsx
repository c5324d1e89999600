import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { runbookPath } from '../../lib/paths.ts'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import { OUTCOME_DAYS, Outcomes } from '../outcomes.tsx'
import { PagesNav } from '../pages-nav.tsx'
import { outcomesCall, useOutcomes } from '../../query/use-runbook-work.ts'
import { AlertName } from '../../ui/alert-name.tsx'
import { TitleLine } from '../../ui/title-line.tsx'

/** How the occurrences of one alert ended, for the author of its runbook. */
export function OutcomePage({ name }: { readonly name: string }): ReactNode {
  const query = useOutcomes(name, OUTCOME_DAYS)
  return (
    <div className="page">
      <title>{`Outcomes of ${name} · Daytwo`}</title>
      <PagesNav place="Alerts" />
      <TitleLine
        title={<AlertName name={query.data?.name ?? name} />}
        tools={<Link href={runbookPath(name)}>Runbook</Link>}
      />
      <Answer query={query} what="the outcomes" skeletonLines={10}>
        {(outcomes) => <Outcomes outcomes={outcomes} />}
      </Answer>
      <ApiCallNote call={{ path: outcomesCall(name, OUTCOME_DAYS) }} />
    </div>
  )
}
