import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterItem } from '../../../contract/fleet-clusters.ts'
import type { ClusterColumn } from '../../lib/list-preferences.ts'
import { operatorName, phaseName } from '../../lib/fleet-names.ts'
import { upgradePath, alertsPath } from '../../lib/paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { versionAge } from '../../lib/version-order.ts'
import { ClusterStateMark, StuckMark } from '../../ui/outcome-marks.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Ago } from '../../ui/time.tsx'
import { VersionMark } from '../../ui/version-mark.tsx'

/** What the cells of a row need beside the cluster. */
export interface CellContext {
  readonly versions: readonly { readonly value: string | null; readonly count: number }[]
  /** Alerts that fire, by cluster; absent: nobody knows. */
  readonly alerts: ReadonlyMap<string, FiringCount> | undefined
}

export interface FiringCount {
  readonly firing: number
  readonly critical: number
}

/** The cell of each column. A value that is not reported is a dash with its reason. */
export const CLUSTER_CELLS: Readonly<Record<ClusterColumn, (cluster: ClusterItem, context: CellContext) => ReactNode>> =
  {
    state: ({ states }) => (
      <span className="mark-line">
        {states.map((state) => (
          <ClusterStateMark key={state} state={state} />
        ))}
      </span>
    ),
    version: ({ version, versions }, { versions: all }) => {
      const shown = version ?? versions['kubevirt'] ?? null
      return <VersionMark version={shown} age={shown === null ? undefined : versionAge(shown, all)} />
    },
    kubevirt: ({ versions }) => <span className="nums">{versions['kubevirt'] ?? <NotReported />}</span>,
    platform: ({ platform }) =>
      platform === null ? (
        <NotReported />
      ) : (
        <span className="nums">
          {{ openshift: 'OpenShift', kubernetes: 'Kubernetes' }[platform.kind]} {platform.version ?? ''}
          {platform.target === null ? null : <span className="quiet"> → {platform.target}</span>}
        </span>
      ),
    channel: ({ channel }) => channel ?? <NotReported />,
    approval: ({ approval }) => approval ?? <NotReported />,
    flavour: ({ flavour }) => flavour ?? <NotReported />,
    upgrade: ({ openUpgrades }) =>
      openUpgrades.map(({ id, operator, to, phase, stuck }) => (
        <span key={id} className="mark-line">
          <Link href={upgradePath(id)}>
            {operatorName(operator)} → {to}
          </Link>
          {stuck ? <StuckMark /> : null}
          {phase === null ? null : <span className="quiet">{phaseName(phase)}</span>}
        </span>
      )),
    alerts: ({ cluster }, { alerts }) => {
      if (alerts === undefined) return <NotReported why="Which alerts fire has not been read" />
      const { firing, critical } = alerts.get(cluster) ?? { firing: 0, critical: 0 }
      if (firing === 0) return <span className="quiet">0</span>
      const words = `${countOf(firing, 'alert')} firing`
      return (
        <Link
          href={alertsPath({ cluster })}
          className="nums"
          title={words}
          {...(critical > 0 ? { 'aria-label': `${formatCount(critical)} critical of ${words}` } : {})}
        >
          {critical > 0 ? (
            <span className="tone-critical">
              <Shape name="triangle" /> {formatCount(critical)}
              {' / '}
            </span>
          ) : null}
          {formatCount(firing)}
        </Link>
      )
    },
    outdated: ({ outdatedWorkloads }) =>
      outdatedWorkloads === null ? <NotReported /> : <span className="nums">{formatCount(outdatedWorkloads)}</span>,
    region: ({ region }) => region ?? <NotReported />,
    provider: ({ provider }) => provider ?? <NotReported />,
    environment: ({ environment }) => environment ?? <NotReported />,
    heard: ({ coverage }) => sourcesOf(coverage).join(', '),
    seen: ({ lastSeenAt }) => <Ago at={lastSeenAt} />,
  }

interface FiringBelowProps {
  readonly cluster: string
  readonly count: FiringCount | undefined
}

/** The same in words, below a name that stands without a head of columns; nothing where nothing fires. */
export function FiringBelow({ cluster, count }: FiringBelowProps): ReactNode {
  if (count === undefined || count.firing === 0) return null
  const { firing, critical } = count
  return (
    <Link href={alertsPath({ cluster })} className={`nums ${critical > 0 ? 'tone-critical' : ''}`}>
      {critical > 0 ? (
        <>
          <Shape name="triangle" /> {formatCount(critical)} critical of{' '}
        </>
      ) : null}
      {countOf(firing, 'alert')}
    </Link>
  )
}

/** Numbers stand at the end of their cell. */
export const NUMBER_COLUMNS: ReadonlySet<ClusterColumn> = new Set(['alerts', 'outdated', 'seen'])

/** The text is a label: clipped text costs a scrolled table more than all its visible text. */
function NotReported({ why = 'Nothing that was sent says it' }: { readonly why?: string }): ReactNode {
  return (
    <span className="quiet" role="img" aria-label="not told" title={why}>
      –
    </span>
  )
}

export function sourcesOf(coverage: ClusterItem['coverage']): readonly string[] {
  return (['objects', 'metrics', 'spans'] as const).filter((way) => coverage[way])
}
