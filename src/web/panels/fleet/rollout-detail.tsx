import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RolloutAnswer, RolloutItem } from '../../../contract/fleet-rollouts.ts'
import { operatorName } from '../../lib/fleet-names.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { formatLength } from '../../lib/format-time.ts'
import { DOCS_PATH, rolloutPath, rolloutsPath, runbookPath, upgradesPath } from '../../lib/paths.ts'
import {
  percentOf,
  ROLLOUT_VIEW,
  ROLLOUT_WORDS,
  ROLLOUTS_VIEW,
  shareText,
  verdictCommand,
  whatIsNeeded,
  type CohortView,
} from '../../lib/rollout-text.ts'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import { BundleButton } from '../bundle-button.tsx'
import { CanaryFilters } from './canary-filters.tsx'
import { FleetCoverageNote } from './fleet-coverage.tsx'
import { AlertChangePanel, PhaseChangePanel } from './rollout-changes.tsx'
import { RolloutMark } from './rollout-mark.tsx'
import { RolloutSignals } from './rollout-signals.tsx'
import { PagesNav } from '../pages-nav.tsx'
import { useView } from '../use-view.ts'
import { useMoment } from '../../query/use-moment.ts'
import { rolloutBundleCall } from '../../query/use-bundle.ts'
import { rolloutCall, useRollout } from '../../query/use-rollouts.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FactList } from '../../ui/fact-list.tsx'
import { Headline, type HeadlineKind } from '../../ui/headline.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Ago } from '../../ui/time.tsx'
import { TitleLine } from '../../ui/title-line.tsx'

/** The verdict on one version, what it is based on, and what changed with the version. */
export function RolloutPage({ version }: { readonly version: string }): ReactNode {
  const { view, change } = useView(ROLLOUT_VIEW, (search) => rolloutPath(version, search))
  const { signal, ...cohort } = view
  const moment = useMoment()
  return (
    <div className="page">
      <title>{`Rollout of ${version} · Daytwo`}</title>
      <PagesNav place="Fleet" />
      <Answer query={useRollout(version, cohort)} what={`the verdict on ${version}`} skeletonLines={12}>
        {(answer) => (
          <>
            <Head answer={answer} cohort={cohort} />
            <CanaryFilters cohort={cohort} onChange={change} />
            <RolloutSignals
              signals={answer.rollout.signals}
              open={signal}
              onOpen={(chosen) => {
                change({ signal: chosen })
              }}
            />
            <div className="columns">
              <div>
                <PhaseChangePanel phases={answer.rollout.phases} />
                <AlertChangePanel changes={answer.rollout.alertChanges} policy={answer.policy} />
              </div>
              <div>
                <Basis answer={answer} />
              </div>
            </div>
            <FleetCoverageNote coverage={answer.coverage} />
          </>
        )}
      </Answer>
      <ApiCallNote call={{ path: rolloutCall(version, cohort, moment) }} />
    </div>
  )
}

const HEADLINES: Readonly<Record<RolloutItem['decision'], HeadlineKind>> = {
  proceed: 'good',
  hold: 'stuck',
  insufficient: 'unsure',
  not_comparable: 'unsure',
}

function Head({
  answer: { rollout },
  cohort,
}: {
  readonly answer: RolloutAnswer
  readonly cohort: CohortView
}): ReactNode {
  const { operator, version, decision, canary, accepted } = rollout
  return (
    <>
      <TitleLine
        title={
          <>
            {operatorName(operator)} <span className="nums">{version}</span>
          </>
        }
        tools={
          <>
            <CopyButton text={verdictCommand(version, cohort)} label="Copy command" />
            <BundleButton call={rolloutBundleCall(rolloutCall(version, cohort, undefined))} />
          </>
        }
      >
        <RolloutMark decision={decision} />
        <Link href={rolloutsPath(ROLLOUTS_VIEW.searchOf({ operator: cohort.operator }))}>All rollouts</Link>
      </TitleLine>
      <Headline kind={HEADLINES[decision]}>
        <strong>{ROLLOUT_WORDS[decision].meaning}</strong> {whatIsNeeded(rollout)} {shareText(canary)} upgrades failed,
        at most {percentOf(canary.high)} of all; accepted are {percentOf(accepted)}.{' '}
        {decision === 'hold' ? <Link href={runbookPath('DaytwoRolloutHold')}>Runbook: hold a rollout</Link> : null}
      </Headline>
    </>
  )
}

/** All that the verdict depends on. */
function Basis({ answer: { rollout, policy } }: { readonly answer: RolloutAnswer }): ReactNode {
  const { operator, version, canary, baseline, accepted, clusters, leftOut, firstAt } = rollout
  return (
    <Panel title="Basis" aside={<Link href={upgradesPath({ operator, to: version })}>upgrades in the history</Link>}>
      <FactList
        isStacked
        facts={[
          { name: 'Canary', value: `${countOf(clusters, 'cluster')} that upgraded to ${version}, or do now` },
          { name: 'First upgrade', value: <Ago at={firstAt} /> },
          {
            name: 'Failed',
            value: `${shareText(canary)}; the share is between ${percentOf(canary.low)} and ${percentOf(canary.high)}`,
          },
          {
            name: 'Failed, other versions',
            value: `${shareText(baseline)}; between ${percentOf(baseline.low)} and ${percentOf(baseline.high)}`,
          },
          {
            name: 'Accepted share of failures',
            value: `${percentOf(accepted)}: the lower bound of other versions and ${percentOf(policy.failureMargin)}`,
          },
          {
            name: 'Not counted',
            value: `${countOf(leftOut, 'upgrade')} that were superseded, or whose end is not known`,
          },
          {
            name: 'Compared',
            value:
              policy.strata.length === 0 ? 'all clusters' : `only clusters with the same ${policy.strata.join(', ')}`,
          },
          {
            name: 'When an upgrade counts',
            value: `${formatLength(policy.horizonSeconds)} after its start; one that has not ended by then counts as failed`,
          },
          {
            name: 'Proceed needs',
            value: `${formatCount(policy.canariesMin)} upgrades or more, and the upper bound below the accepted share`,
          },
          {
            name: 'Error rate',
            value: `${percentOf(policy.alpha)} for a wrong Hold over all signals and looks, and for a wrong Proceed`,
          },
        ]}
      />
      <p>
        <a href={`${DOCS_PATH}/operating/verdicts`}>How verdicts are made</a>
      </p>
    </Panel>
  )
}
