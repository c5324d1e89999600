import type { ReactNode } from 'react'
import { Link } from 'wouter'
import {
  adoptionPath,
  alertsPath,
  configurationPath,
  edgesPath,
  FLEET_ROUTES,
  lintPath,
  modificationsPath,
  NOW_SECTIONS,
  resolvedPath,
  upgradesPath,
} from '../lib/paths.ts'
import type { Now } from '../../contract/now.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { silentNote } from '../lib/now-summary.ts'
import { SEVERITIES } from '../lib/severity.ts'
import { classNames } from '../ui/class-names.ts'
import { SeverityCount } from '../ui/marks.tsx'
import { Shape } from '../ui/shapes.tsx'
import styles from './now-numbers.module.css'

/** The numbers of the landing page, each a link to its list. */
export function NowNumbers({ now }: { readonly now: Now }): ReactNode {
  const { critical, warning, info, none, pending } = now.firing
  const counts = { critical, warning, info, none }
  const failingRules = now.faults?.failingRules ?? 0
  return (
    <nav className={`tiles box ${styles.root}`} aria-label="Summary">
      <NumberLink
        name="Stuck"
        href={`#${NOW_SECTIONS.stuck}`}
        count={now.stuck.count}
        isBad={now.stuck.count > 0}
        note={now.stuck.count === 0 ? 'no stuck upgrades' : 'no progress'}
      />
      <NumberLink
        name="Firing"
        href={alertsPath({ states: ['firing'] })}
        count={critical + warning + info + none}
        note={
          <>
            {SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) => (
              <SeverityCount key={severity} severity={severity} count={formatCount(counts[severity])} />
            ))}
            {pending > 0 ? <span>{formatCount(pending)} pending</span> : null}
            {failingRules > 0 ? (
              <span className="tone-warning">
                <Shape name="diamond" /> {countOf(failingRules, 'rule fails', 'rules fail')}
              </span>
            ) : null}
            {critical + warning + info + none + pending + failingRules === 0 ? 'no alerts' : null}
          </>
        }
      />
      <NumberLink
        name="Upgrading"
        href={`#${NOW_SECTIONS.upgrading}`}
        count={now.upgrading.count}
        note={`of ${countOf(now.clusters.reporting, 'reporting cluster')}`}
      />
      <NumberLink
        name="Workload updates"
        href={`#${NOW_SECTIONS.following}`}
        count={now.following.count}
        note={`${countOf(now.following.machines, 'VM')} remaining`}
      />
      <NumberLink
        name="Pending approval"
        href={`#${NOW_SECTIONS.waiting}`}
        count={now.waiting.count}
        note="install plans"
      />
      <NumberLink name="Silent" href={`#${NOW_SECTIONS.silent}`} count={now.silent.count} note={silentNote(now)} />
    </nav>
  )
}

interface NumberLinkProps {
  readonly name: string
  /** A part of this page, or another page. */
  readonly href: string
  readonly count: number
  readonly isBad?: boolean
  readonly note: ReactNode
}

function NumberLink({ name, href, count, isBad = false, note }: NumberLinkProps): ReactNode {
  const content = (
    <>
      <span className="quiet text-small">{name}</span>
      <span className={classNames(styles.count, 'row nums', isBad && 'tone-critical')}>
        {isBad ? <Shape name="triangle" /> : null}
        {formatCount(count)}
      </span>
      <span className="quiet text-small row">{note}</span>
    </>
  )
  // The router would treat a link within the page as one to another page.
  return href.startsWith('#') ? (
    <a className={`tile ${styles.number}`} href={href}>
      {content}
    </a>
  ) : (
    <Link className={`tile ${styles.number}`} href={href}>
      {content}
    </Link>
  )
}

/** Links to pages that answer what the landing page does not. */
export function OtherQuestions(): ReactNode {
  return (
    <nav className={`row screen-only quiet text-small spaced ${styles.questions}`} aria-label="Related pages">
      <Link href={FLEET_ROUTES.readiness}>Readiness</Link>
      <Link href={FLEET_ROUTES.plan}>Plan an upgrade</Link>
      <Link href={FLEET_ROUTES.rollouts}>Rollouts</Link>
      <Link href={modificationsPath()}>Modifications</Link>
      <Link href={FLEET_ROUTES.patches}>JSON patches</Link>
      <Link href={configurationPath()}>Feature gates</Link>
      <Link href={edgesPath({ show: 'stranded' })}>Stranded versions</Link>
      <Link href={upgradesPath()}>Upgrade history</Link>
      <Link href={adoptionPath()}>Adoption of the newest version</Link>
      <Link href={resolvedPath()}>Resolved alerts</Link>
      <Link href={lintPath()}>Lint findings</Link>
    </nav>
  )
}
