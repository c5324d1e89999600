import type { ReactNode } from 'react'
import type { Now } from '../../contract/now.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { coverageSentence, headlineOf } from '../lib/now-summary.ts'
import { NOW_SECTIONS } from '../lib/paths.ts'
import { compareVersions } from '../lib/version-order.ts'
import { Answer } from '../panels/answer.tsx'
import { ConnectCluster } from '../panels/connect-cluster.tsx'
import { FiringGroups } from '../panels/firing-groups.tsx'
import { NowNumbers } from '../panels/now-numbers.tsx'
import { SilentList } from '../panels/silent-list.tsx'
import { UpgradeTable } from '../panels/upgrade-table.tsx'
import { useNow } from '../query/use-fleet.ts'
import { BarList } from '../ui/bar-list.tsx'
import { Panel } from '../ui/panel.tsx'
import { useNowMs } from '../ui/server-clock.ts'
import { Shape } from '../ui/shapes.tsx'

/** The landing page: an answer, not a menu. */
export function NowPage(): ReactNode {
  const query = useNow()
  const stuck = query.data?.stuck.count ?? 0
  return (
    <div className="page">
      <title>{stuck > 0 ? `${stuck} stuck · Daytwo` : 'Now · Daytwo'}</title>
      <h1 className="visually-hidden">Now</h1>
      <Answer query={query} what="the state of the fleet" skeletonLines={10}>
        {(now) => <NowAnswer now={now} />}
      </Answer>
    </div>
  )
}

function NowAnswer({ now }: { readonly now: Now }): ReactNode {
  const headline = headlineOf(now)
  if (headline.kind === 'no_clusters') return <ConnectCluster />
  const { stuck, upgrading, silent, firing, versions } = now
  return (
    <>
      <NowNumbers now={now} />
      <Panel id={NOW_SECTIONS.stuck} title="Stuck" aside={stuck.ruleSentence} className="panel-first">
        <p className={`headline headline-${headline.kind}`}>
          <Shape name={{ good: 'check', unsure: 'dash', stuck: 'triangle' }[headline.kind] as 'check'} />
          <span>
            <strong>{headline.sentence}</strong> <Coverage now={now} />
          </span>
        </p>
        {stuck.items.length > 0 ? <UpgradeTable label="Stuck upgrades" upgrades={stuck.items} hasCause /> : null}
        <Rest shown={stuck.items.length} count={stuck.count} />
      </Panel>
      <div className="columns">
        <div>
          <Panel title="Firing" aside={countOf(firing.groups.length, 'alert name')}>
            {firing.groups.length > 0 ? <FiringGroups groups={firing.groups} /> : <Quiet>Nothing fires.</Quiet>}
          </Panel>
          <Panel id={NOW_SECTIONS.upgrading} title="Upgrading" aside={formatCount(upgrading.count)}>
            {upgrading.items.length > 0 ? (
              <UpgradeTable label="Upgrades under way" upgrades={upgrading.items} hasCause={false} />
            ) : (
              <Quiet>No cluster is upgrading.</Quiet>
            )}
            <Rest shown={upgrading.items.length} count={upgrading.count} />
          </Panel>
        </div>
        <div>
          <Panel id={NOW_SECTIONS.versions} title="Versions" aside={`of ${countOf(now.clusters.total, 'cluster')}`}>
            <Versions versions={versions} total={now.clusters.total} />
          </Panel>
          <Panel id={NOW_SECTIONS.silent} title="Silent" aside={formatCount(silent.count)}>
            {silent.items.length > 0 ? (
              <SilentList clusters={silent.items} />
            ) : (
              <Quiet>Every known cluster reports.</Quiet>
            )}
            <Rest shown={silent.items.length} count={silent.count} />
          </Panel>
        </div>
      </div>
    </>
  )
}

function Coverage({ now }: { readonly now: Now }): ReactNode {
  return coverageSentence(now, useNowMs())
}

/** Lists end at a limit of the server; the counts do not. */
function Rest({ shown, count }: { readonly shown: number; readonly count: number }): ReactNode {
  return count > shown ? (
    <p className="quiet rest">
      The first {shown} of {formatCount(count)}.
    </p>
  ) : null
}

function Quiet({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className="quiet empty">{children}</p>
}

/** Newest version first; clusters that say none are a line of their own, so that the shares add up to the whole. */
function Versions({ versions, total }: { readonly versions: Now['versions']; readonly total: number }): ReactNode {
  const known = versions.reduce((sum, { clusters }) => sum + clusters, 0)
  const bars = versions
    .toSorted((a, b) => compareVersions(a.version, b.version))
    .map(({ version, clusters }) => ({ key: version, count: clusters }))
  if (known < total) bars.push({ key: 'not known', count: total - known })
  return <BarList bars={bars} total={Math.max(total, known)} />
}
