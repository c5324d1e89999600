import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { LintReport } from '../../contract/lint.ts'
import { rulePath } from '../lib/paths.ts'
import { Card, CardList } from '../ui/card-list.tsx'
import { Mark } from '../ui/marks.tsx'

type Finding = LintReport['findings'][number]

const LOOKS = {
  error: { shape: 'cross', tone: 'tone-critical text-strong' },
  warning: { shape: 'diamond', tone: 'tone-warning text-strong' },
  info: { shape: 'disc', tone: 'quiet' },
} as const

export function FindingSeverity({ severity }: { readonly severity: Finding['severity'] }): ReactNode {
  return <Mark {...LOOKS[severity]}>{severity}</Mark>
}

interface FindingListProps {
  readonly findings: readonly Finding[]
  /** All findings are about the subject of the page. */
  readonly isOneSubject?: boolean
}

/** Lint findings with their place in the file and a hint. */
export function FindingList({ findings, isOneSubject = false }: FindingListProps): ReactNode {
  return (
    <CardList>
      {findings.map((finding, i) => (
        <Card key={i}>
          <p>
            <FindingSeverity severity={finding.severity} /> {finding.message}
          </p>
          {finding.hint === undefined ? null : <p className="quiet">{finding.hint}</p>}
          <p className="quiet">
            <code>
              {finding.file}:{finding.line}:{finding.column}
            </code>{' '}
            {isOneSubject ? (
              finding.check
            ) : finding.subject === undefined || !finding.file.startsWith('alert-rules/') ? (
              finding.subject
            ) : (
              <Link href={rulePath(finding.subject)}>{finding.subject}</Link>
            )}
          </p>
        </Card>
      ))}
    </CardList>
  )
}
