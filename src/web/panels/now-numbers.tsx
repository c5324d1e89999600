import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Now } from '../../contract/now.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import { alertsPath, NOW_SECTIONS } from '../lib/paths.ts'
import { SEVERITIES } from '../lib/severity.ts'
import { SeverityCount } from '../ui/marks.tsx'
import { Shape } from '../ui/shapes.tsx'

/** The four questions of a shift, as numbers that lead to their answer. */
export function NowNumbers({ now }: { readonly now: Now }): ReactNode {
  const { critical, warning, info, none, pending } = now.firing
  const counts = { critical, warning, info, none }
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
      <a className="number" href={`#${NOW_SECTIONS.upgrading}`}>
        <span className="number-name">Upgrading</span>
        <span className="number-count nums">{formatCount(now.upgrading.count)}</span>
        <span className="number-note">of {countOf(now.clusters.reporting, 'reporting cluster')}</span>
      </a>
      <Link className="number" href={alertsPath({ states: ['firing'] })}>
        <span className="number-name">Firing</span>
        <span className="number-count nums">{formatCount(critical + warning + info + none)}</span>
        <span className="number-note">
          {SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) => (
            <SeverityCount key={severity} severity={severity} count={formatCount(counts[severity])} />
          ))}
          {pending > 0 ? <span>{formatCount(pending)} pending</span> : null}
          {critical + warning + info + none + pending === 0 ? 'all quiet' : null}
        </span>
      </Link>
      <a className="number" href={`#${NOW_SECTIONS.silent}`}>
        <span className="number-name">Silent</span>
        <span className="number-count nums">{formatCount(now.silent.count)}</span>
        <span className="number-note">no sample for {formatAge(now.clusters.silentAfterMs)}</span>
      </a>
    </nav>
  )
}
