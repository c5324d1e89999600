import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Now } from '../../contract/now.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { silentNote } from '../lib/now-summary.ts'
import { alertsPath, NOW_SECTIONS } from '../lib/paths.ts'
import { SEVERITIES } from '../lib/severity.ts'
import { SeverityCount } from '../ui/marks.tsx'
import { Shape } from '../ui/shapes.tsx'

/** The questions of a shift, as numbers that lead to their answer. */
export function NowNumbers({ now }: { readonly now: Now }): ReactNode {
  const { critical, warning, info, none, pending } = now.firing
  const counts = { critical, warning, info, none }
  const failingRules = now.faults?.failingRules ?? 0
  return (
    <nav className="numbers" aria-label="Summary">
      <a className="number" href={`#${NOW_SECTIONS.stuck}`}>
        <span className="number-name">Stuck</span>
        <span className={`number-count nums ${now.stuck.count > 0 ? 'tone-critical' : ''}`}>
          {now.stuck.count > 0 ? <Shape name="triangle" /> : null}
          {formatCount(now.stuck.count)}
        </span>
        <span className="number-note">{now.stuck.count === 0 ? 'every upgrade moves' : 'nothing moves there'}</span>
      </a>
      <Link className="number" href={alertsPath({ states: ['firing'] })}>
        <span className="number-name">Firing</span>
        <span className="number-count nums">{formatCount(critical + warning + info + none)}</span>
        <span className="number-note">
          {SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) => (
            <SeverityCount key={severity} severity={severity} count={formatCount(counts[severity])} />
          ))}
          {pending > 0 ? <span>{formatCount(pending)} pending</span> : null}
          {failingRules > 0 ? (
            <span className="tone-warning">
              <Shape name="diamond" /> {countOf(failingRules, 'rule fails', 'rules fail')}
            </span>
          ) : null}
          {critical + warning + info + none + pending + failingRules === 0 ? 'all quiet' : null}
        </span>
      </Link>
      <Plain section="upgrading" count={now.upgrading.count}>
        of {countOf(now.clusters.reporting, 'reporting cluster')}
      </Plain>
      <Plain section="following" count={now.following.count}>
        {now.following.machines > 0 ? `${countOf(now.following.machines, 'machine')} left` : 'no machine left'}
      </Plain>
      <Plain section="waiting" count={now.waiting.count}>
        for an approval
      </Plain>
      <Plain section="silent" count={now.silent.count}>
        {silentNote(now)}
      </Plain>
    </nav>
  )
}

const NAMES = { upgrading: 'Upgrading', following: 'Following', waiting: 'Waiting', silent: 'Silent' } as const

function Plain({
  section,
  count,
  children,
}: {
  readonly section: keyof typeof NAMES
  readonly count: number
  readonly children: ReactNode
}): ReactNode {
  return (
    <a className="number" href={`#${NOW_SECTIONS[section]}`}>
      <span className="number-name">{NAMES[section]}</span>
      <span className="number-count nums">{formatCount(count)}</span>
      <span className="number-note">{children}</span>
    </a>
  )
}
