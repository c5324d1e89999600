import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterReadinessItem, FoundHazardItem } from '../../../contract/readiness.ts'
import { countOf } from '../../lib/format-number.ts'
import { runbookPath } from '../../lib/paths.ts'
import { readinessPath } from '../../lib/readiness-view.ts'
import { useMoment } from '../../query/use-moment.ts'
import { classNames } from '../../ui/class-names.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { MomentList } from '../../ui/moment-list.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Ago, Moment } from '../../ui/time.tsx'
import { AcceptRiskButton } from './accept-risk-dialog.tsx'
import styles from './hazard-list.module.css'
import { VerdictMark } from './verdict-mark.tsx'

interface HazardListProps {
  readonly cluster: string
  readonly readiness: ClusterReadinessItem
}

/** The hazards of one cluster for its next upgrade, the worst first, and what cannot be ruled out. */
export function HazardList({ cluster, readiness }: HazardListProps): ReactNode {
  const { target, verdict, silent, hazards, unknown } = readiness
  return (
    <>
      <p className="row row-text">
        <span>
          For <Link href={readinessPath({ to: target.to })}>{target.to}</Link>:
        </span>
        <VerdictMark verdict={verdict} />
        {silent ? <span className="quiet">as of the last report: the cluster is silent</span> : null}
      </p>
      {hazards.length === 0 ? (
        <p className="quiet">No known hazards.</p>
      ) : (
        <ul className={`entries pairs ${styles.root}`}>
          {hazards.map((hazard) => (
            <HazardEntry key={hazard.id} cluster={cluster} hazard={hazard} />
          ))}
        </ul>
      )}
      {unknown.length === 0 ? null : (
        <details>
          <summary>{countOf(unknown.length, 'hazard')} not ruled out: signals are missing</summary>
          <ul className={`entries pairs ${styles.root}`}>
            {unknown.map(({ id, title, text }) => (
              <li key={id}>
                <span>{title}</span>
                <span className="quiet">{text}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function HazardEntry({ cluster, hazard }: { readonly cluster: string; readonly hazard: FoundHazardItem }): ReactNode {
  const isPresent = useMoment() === undefined
  const { id, title, verdict, text, since, consequence, fix, runbook, evidence, accepted } = hazard
  const isBad = verdict === 'not_recommended'
  const tone = accepted !== null ? 'quiet' : isBad ? 'tone-critical' : 'tone-warning'
  return (
    <li>
      <span className={classNames('inline-row row-text', tone)}>
        <Shape name={isBad ? 'cross' : 'diamond'} />
        <strong>{title}</strong>
      </span>
      <div>
        {text}{' '}
        {since === null ? null : (
          <span className="quiet">
            Since <Ago at={since} />.{' '}
          </span>
        )}
        {runbook === '' ? null : <Link href={runbookPath(runbook)}>Runbook</Link>}
        {accepted === null ? null : (
          <div className="quiet">
            Accepted by {accepted.by} until <Moment atMs={Date.parse(accepted.expiresAt)} />: “{accepted.reason}”
          </div>
        )}
        <details>
          <summary>Evidence and fix</summary>
          <p className="quiet">{consequence}</p>
          <MomentList
            label={`Evidence: ${title}`}
            items={evidence.map(({ at, text: of, ref }) => ({
              key: `${ref} ${of}`,
              atMs: at === null ? undefined : Date.parse(at),
              content: of,
            }))}
          />
          <p>{fix.text}</p>
          {fix.command === null ? null : (
            <CodeBlock text={fix.command} what="command">
              {fix.command}
            </CodeBlock>
          )}
        </details>
        {isPresent && accepted === null ? (
          <AcceptRiskButton hazard={id} title={title} of={{ clusters: [cluster] }} count={1} />
        ) : null}
      </div>
    </li>
  )
}
