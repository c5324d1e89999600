import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { LintReport } from '../../contract/lint.ts'
import { rulePath } from '../lib/paths.ts'
import { Card, CardList } from '../ui/card-list.tsx'
import { Shape, type ShapeName } from '../ui/shapes.tsx'

type Finding = LintReport['findings'][number]

const SHAPES: Readonly<Record<Finding['severity'], ShapeName>> = { error: 'cross', warning: 'diamond', info: 'disc' }

export function FindingSeverity({ severity }: { readonly severity: Finding['severity'] }): ReactNode {
  return (
    <span className={`outcome finding-${severity}`}>
      <Shape name={SHAPES[severity]} /> {severity}
    </span>
  )
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
