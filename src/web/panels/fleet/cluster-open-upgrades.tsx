import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterDetail } from '../../../contract/fleet-clusters.ts'
import { upgradePath } from '../../lib/paths.ts'
import { causeName, stepText, phaseName } from '../../lib/fleet-names.ts'
import { stillWords } from '../../lib/upgrade-text.ts'
import { MarkedList } from '../../ui/marked-list.tsx'
import { StuckMark } from '../../ui/outcome-marks.tsx'
import { Ago, Since } from '../../ui/time.tsx'
import { OutcomeMark } from './upgrade-rows.tsx'

type Open = ClusterDetail['open'][number]

/** Upgrades that are active or in their workload update, each with its verdict. */
export function ClusterOpenUpgrades({ open }: { readonly open: readonly Open[] }): ReactNode {
  return (
    <MarkedList
      items={open.map(({ upgrade, verdict }) => ({
        key: upgrade.id,
        isCritical: verdict?.stuck === true,
        content: (
          <>
            <div className="row row-text">
              <strong>
                <Link className="nums" href={upgradePath(upgrade.id)}>
                  {stepText(upgrade)}
                </Link>
              </strong>
              {verdict?.stuck === true ? <StuckMark /> : <OutcomeMark upgrade={upgrade} />}
              {upgrade.startedAt === null ? null : (
                <span className="quiet">
                  {' '}
                  started <Ago at={upgrade.startedAt} />
                </span>
              )}
            </div>
            <VerdictLine verdict={verdict} />
          </>
        ),
      }))}
    />
  )
}

/** The phase, the time in it, and what is typical. */
export function VerdictLine({ verdict }: { readonly verdict: Open['verdict'] }): ReactNode {
  if (verdict === null) return <p className="quiet">The upgrade has ended.</p>
  const { phase, stalledSince, phaseSince, baseline, causes, silentSince, stuck } = verdict
  const sinceText = stuck ? stalledSince : phaseSince
  const [cause] = causes
  return (
    <>
      <p>
        {phase === null ? 'Phase not reported.' : `In ${phaseName(phase)}`}
        {sinceText === null || phase === null ? null : (
          <>
            {stuck ? ' without progress for ' : ' for '}
            <Since atMs={Date.parse(sinceText)} />
          </>
        )}
        {baseline === null ? null : <span className="quiet">. {stillWords(baseline)}</span>}
      </p>
      {cause === undefined ? null : (
        <p>
          <strong>{causeName(cause.cause)}.</strong> {cause.text}
        </p>
      )}
      {silentSince === null ? null : (
        <p className="quiet">
          No data from the cluster for <Since atMs={Date.parse(silentSince)} />: the current progress is not known.
        </p>
      )}
    </>
  )
}
