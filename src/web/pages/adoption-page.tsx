import type { ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { ShareAnswer, SpreadAnswer } from '../../contract/adoption.ts'
import { adoptionCall, type AskParams } from '../lib/adoption-call.ts'
import { adoptionHeadline } from '../lib/adoption-spread.ts'
import { countOf } from '../lib/format-number.ts'
import { firstCountSentence } from '../lib/first-count.ts'
import { headlineOf } from '../lib/now-summary.ts'
import { daysOf, type AdoptionView, ADOPTION_VIEW } from '../lib/adoption-view.ts'
import { adoptionPath } from '../lib/paths.ts'
import { addUtcDays, utcDayOf } from '../lib/utc-day.ts'
import { hasLines, linesOf, onOneLine } from '../lib/adoption-shares.ts'
import { AdoptionFilters } from '../panels/adoption/adoption-filters.tsx'
import { AlignedPanel } from '../panels/adoption/aligned-panel.tsx'
import { VersionsBehindPanel } from '../panels/adoption/versions-behind-panel.tsx'
import type { AdoptionPart } from '../panels/adoption/chart-panel.tsx'
import { CohortPanel } from '../panels/adoption/cohort-panel.tsx'
import { DenominatorDialog } from '../panels/adoption/denominator-dialog.tsx'
import { WorkloadUpdatePanel } from '../panels/adoption/workload-update-panel.tsx'
import { ClustersBehindPanel } from '../panels/adoption/clusters-behind-panel.tsx'
import { SharePanel } from '../panels/adoption/share-panel.tsx'
import { UsagePanel } from '../panels/adoption/usage-panel.tsx'
import { Answer } from '../panels/answer.tsx'
import { ConnectCluster } from '../panels/connect-cluster.tsx'
import { OPERATORS_CALL, useAdoption, useAdoptionOperators } from '../query/use-adoption.ts'
import { useNow } from '../query/use-fleet.ts'
import { useMoment } from '../query/use-moment.ts'
import { classNames } from '../ui/class-names.ts'
import { Headline } from '../ui/headline.tsx'
import { Notice } from '../ui/notice.tsx'
import { useUtcDay } from '../ui/server-clock.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import styles from './adoption-page.module.css'

/** Versions in use, the speed of their spread, and the coverage of these numbers. */
export function AdoptionPage(): ReactNode {
  const operators = useAdoptionOperators()
  return (
    <div className="page">
      <title>Adoption · Daytwo</title>
      <h1>Adoption</h1>
      <Answer query={operators} what="the adoption counts" skeletonLines={12} call={OPERATORS_CALL}>
        {({ operators: names, firstDay }) =>
          firstDay === null ? <NothingCounted /> : <LinesOfVersions operators={names} firstDay={firstDay} />
        }
      </Answer>
    </div>
  )
}

/** Before the first count. A fleet that already reports needs no setup instructions. */
function NothingCounted(): ReactNode {
  return (
    <Answer query={useNow()} what="the fleet state" skeletonLines={4}>
      {(now) =>
        headlineOf(now).kind === 'no_clusters' ? (
          <ConnectCluster />
        ) : (
          <Notice kind="note" title="No adoption counts yet">
            {firstCountSentence(now)}
          </Notice>
        )
      }
    </Answer>
  )
}

interface LinesOfVersionsProps {
  readonly operators: readonly string[]
  readonly firstDay: string
}

/** Loads the version lines first: the page is about one of them. */
function LinesOfVersions(props: LinesOfVersionsProps): ReactNode {
  const view = ADOPTION_VIEW.parse(useSearch())
  const moment = useMoment()
  const lastDay = useLastDay(moment)
  const days = { ...daysOf(view, lastDay, props.firstDay), ...(moment === undefined ? {} : { at: moment }) }
  const isAsked = hasLines(view)
  const call = adoptionCall('share', { ...view, only: {} }, { ...days, by: 'flavour' })
  const query = useAdoption<ShareAnswer>(call, isAsked)
  if (!isAsked) return <Adoption {...props} view={view} lines={[]} />
  return (
    <Answer query={query} what="the versions" skeletonLines={12} call={call}>
      {(answer) => <Adoption {...props} view={onOneLine(view, linesOf(answer))} lines={linesOf(answer)} />}
    </Answer>
  )
}

interface AdoptionProps extends LinesOfVersionsProps {
  readonly view: AdoptionView
  readonly lines: readonly string[]
}

function Adoption({ operators, firstDay, view, lines }: AdoptionProps): ReactNode {
  const [, navigate] = useLocation()
  const moment = useMoment()
  const lastDay = useLastDay(moment)
  const at = moment === undefined ? {} : { at: moment }
  const asked: AskParams = { ...daysOf(view, lastDay, firstDay), ...at }
  // The age of a version needs its first day, also before the range.
  const whole: AskParams = { ...daysOf({ ...view, range: 'all', from: '', to: '' }, lastDay, firstDay), ...at }
  const part: AdoptionPart = {
    view,
    asked,
    change: (changed: Partial<AdoptionView>) => {
      navigate(adoptionPath({ ...view, ...changed }), { replace: true })
    },
  }
  const unit = view.by === 'version' ? 'version' : 'minor'
  const spread = useAdoption<SpreadAnswer>(adoptionCall('spread', view, { ...whole, by: unit }))
  const releases = useAdoption<SpreadAnswer>(adoptionCall('spread', view, { ...whole, by: 'version' }))
  const newestFirst = spread.data?.versions.map(({ version }) => version) ?? []
  const present = spread.data?.versions.filter(({ clusters }) => clusters > 0).map(({ version }) => version) ?? []
  const version = newestFirst.includes(view.version) ? view.version : (present[0] ?? newestFirst[0] ?? '')
  const all = releases.data?.versions.map((one) => one.version) ?? []
  const headline = adoptionHeadline(spread.data?.versions ?? [], version, spread.data?.basis.telling ?? 0)
  return (
    <>
      <AdoptionFilters {...part} operators={operators} lines={lines} version={version} versions={newestFirst} />
      {spread.isPending ? <Skeleton lines={2} label="Loading the adoption counts" /> : null}
      {spread.data === undefined ? null : (
        <Headline className={styles.headline}>
          {headline === undefined ? (
            noVersionSaid(spread.data.basis.known, view)
          ) : (
            <>
              <strong>{headline.answer}.</strong> {headline.context}
            </>
          )}
        </Headline>
      )}
      {spread.data?.basis.known === 0 ? null : <SharePanel {...part} />}
      {/* Without a version nothing below has anything to say but that. */}
      {spread.data?.versions.length === 0 ? null : (
        <>
          <AlignedPanel {...part} asked={whole} version={version} />
          <div className={classNames(styles.columns, 'columns')}>
            <div>
              <WorkloadUpdatePanel {...part} version={version} isAsked={!spread.isPending} />
            </div>
            <div>
              <VersionsBehindPanel {...part} />
            </div>
          </div>
          <ClustersBehindPanel {...part} />
          <CohortPanel {...part} version={version} newestFirst={all} />
        </>
      )}
      <UsagePanel {...part} />
      {view.shows === 'denominator' ? <DenominatorDialog {...part} /> : null}
    </>
  )
}

function noVersionSaid(known: number, { only }: AdoptionView): string {
  if (known > 0) return `None of ${countOf(known, 'cluster')} reported a version.`
  return Object.keys(only).length > 0
    ? 'No counted cluster matches these filters.'
    : 'No cluster was counted on these days.'
}

/** The present day, or the last day that was over at the selected moment. */
function useLastDay(moment: string | undefined): string {
  const today = useUtcDay()
  return moment === undefined ? today : addUtcDays(utcDayOf(Date.parse(moment)), -1)
}
