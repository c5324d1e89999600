import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RolloutItem, RolloutItems } from '../../contract/fleet-rollouts.ts'
import { UPGRADE_OPERATORS, type UpgradeOperator } from '../../model/upgrade.ts'
import { operatorName } from '../lib/fleet-names.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { rolloutPath, rolloutsPath } from '../lib/paths.ts'
import { percentOf, ROLLOUT_WORDS, ROLLOUTS_VIEW, shareText, whatIsNeeded } from '../lib/rollout-text.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { FleetCoverageNote, NoClusterNote } from '../panels/fleet/fleet-coverage.tsx'
import { RolloutMark } from '../panels/fleet/rollout-mark.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { useView } from '../panels/use-view.ts'
import { useMoment } from '../query/use-moment.ts'
import { rolloutsCall, useRollouts } from '../query/use-rollouts.ts'
import { Choice } from '../ui/choice.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { ListLine } from '../ui/list-line.tsx'
import { Ago } from '../ui/time.tsx'

/** In one file with the list: one of them is opened from the other. */
export { RolloutPage } from '../panels/fleet/rollout-detail.tsx'

const OPERATORS = UPGRADE_OPERATORS.map((value) => ({ value, text: operatorName(value) }))

/** Verdicts on the versions that clusters upgrade to: may the other clusters follow? */
export function RolloutsPage(): ReactNode {
  const { view, set } = useView(ROLLOUTS_VIEW, rolloutsPath)
  const { operator } = view
  return (
    <div className="page">
      <title>Rollouts · Daytwo</title>
      <h1 className="visually-hidden">Fleet: verdicts on rollouts</h1>
      <PagesNav place="Fleet" />
      <FilterBar>
        <Choice label="Operator" options={OPERATORS} value={operator} onChange={set('operator')} />
      </FilterBar>
      <Answer query={useRollouts(operator)} what="the verdicts on rollouts" skeletonLines={10}>
        {(answer) => <Rollouts answer={answer} operator={operator} />}
      </Answer>
      <ApiCallNote call={{ path: rolloutsCall(operator, useMoment()) }} />
    </div>
  )
}

interface RolloutsProps {
  readonly answer: RolloutItems
  readonly operator: UpgradeOperator
}

function Rollouts({ answer: { rollouts, coverage, policy }, operator }: RolloutsProps): ReactNode {
  if (coverage.clusters === 0) return <NoClusterNote />
  return (
    <>
      <ListLine count={`${countOf(rollouts.length, 'version')} with upgrades in the last 30 days`}>
        <span className="quiet">
          A wrong Hold or Proceed has a probability of at most {percentOf(policy.alpha)}, however often you look.
        </span>
        <FleetCoverageNote coverage={coverage} />
      </ListLine>
      <DataTable
        label="Verdicts on rollouts"
        look="boxed"
        columns={COLUMNS}
        rows={rollouts}
        rowKey={({ version }) => version}
        csvName="rollouts"
        empty={
          <p className="empty quiet">
            No cluster started an upgrade of {operatorName(operator)} in the last 30 days. Verdicts appear with the
            first one.
          </p>
        }
      />
    </>
  )
}

function whyText(rollout: RolloutItem): string {
  return whatIsNeeded(rollout) || ROLLOUT_WORDS[rollout.decision].meaning
}

const COLUMNS: readonly Column<RolloutItem>[] = [
  {
    head: 'Version',
    kind: 'name',
    isOneLine: true,
    cell: ({ version, operator }) => (
      <Link className="nums" data-row href={rolloutPath(version, ROLLOUTS_VIEW.searchOf({ operator }))}>
        {version}
      </Link>
    ),
    below: whyText,
    csv: ({ version }) => version,
  },
  {
    head: 'Verdict',
    isOneLine: true,
    cell: ({ decision }) => <RolloutMark decision={decision} />,
    csv: ({ decision }) => decision,
  },
  {
    head: 'Why, and what is needed',
    isHiddenOnPhone: true,
    cell: whyText,
    csv: whatIsNeeded,
  },
  {
    head: 'Failed',
    kind: 'number',
    headTitle: 'Of the upgrades that are old enough to count; in the file without the share.',
    cell: ({ canary }) => shareText(canary),
    csv: ({ canary: { count, of } }) => `${count}/${of}`,
  },
  {
    head: 'At most',
    kind: 'number',
    isHiddenOnPhone: true,
    headTitle: 'The upper bound of the share of failures, and what is accepted.',
    cell: ({ canary, accepted }) => `${percentOf(canary.high)} (accepted ${percentOf(accepted)})`,
    csv: ({ canary }) => canary.high,
  },
  {
    head: 'Clusters',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ clusters }) => formatCount(clusters),
    csv: ({ clusters }) => clusters,
  },
  {
    head: 'First upgrade',
    isHiddenOnPhone: true,
    isOneLine: true,
    cell: ({ firstAt }) => <Ago at={firstAt} />,
    csv: ({ firstAt }) => firstAt,
  },
]
