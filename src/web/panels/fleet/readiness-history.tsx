import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { AcceptanceItem, HazardItems } from '../../../contract/readiness.ts'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { FLEET_ROUTES } from '../../lib/paths.ts'
import { reportUndo } from '../../query/use-api-action.ts'
import { useAcceptances, useHazards, useWithdrawRisk } from '../../query/use-readiness.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Moment } from '../../ui/time.tsx'
import { Answer } from '../answer.tsx'

/** Below the readiness of the fleet: accepted risks, and what past upgrades show about hazards. */

/** Accepted risks in effect, with those that ended lately. */
export function AcceptancesPanel(): ReactNode {
  const query = useAcceptances()
  const withdraw = useWithdrawRisk()
  const columns: readonly Column<AcceptanceItem>[] = [
    { head: 'Hazard', kind: 'name', cell: ({ hazard }) => <HazardTitle id={hazard} /> },
    {
      head: 'Clusters',
      kind: 'number',
      isHiddenOnPhone: true,
      cell: ({ clusters }) => formatCount(clusters.length),
      title: namesOf,
    },
    { head: 'Reason', cell: ({ reason, by }) => `${reason} (${by})` },
    {
      head: 'Expires',
      isHiddenOnPhone: true,
      isOneLine: true,
      cell: ({ expiresAt }) => <Moment atMs={Date.parse(expiresAt)} />,
    },
    {
      id: 'state',
      head: 'State',
      cell: ({ id, state }) =>
        state === 'in_effect' ? (
          <Button
            size="sm"
            onClick={() => {
              reportUndo(withdraw.mutateAsync(id), 'Acceptance withdrawn', 'withdraw the acceptance')
            }}
          >
            Withdraw
          </Button>
        ) : (
          <span className="quiet">{state}</span>
        ),
    },
  ]
  return (
    <Panel title="Accepted risks">
      <Answer query={query} what="the accepted risks" skeletonLines={3}>
        {({ acceptances }) => (
          <DataTable
            label="Accepted risks"
            columns={columns}
            rows={acceptances}
            rowKey={({ id, state, withdrawnAt }) => `${id} ${state} ${withdrawnAt ?? ''}`}
            empty={<p className="empty quiet">No risk is accepted.</p>}
          />
        )}
      </Answer>
    </Panel>
  )
}

const NAMES_SHOWN = 20

function namesOf({ clusters }: AcceptanceItem): string {
  const more = clusters.length > NAMES_SHOWN ? ', …' : ''
  return `${clusters.slice(0, NAMES_SHOWN).join(', ')}${more}`
}

function HazardTitle({ id }: { readonly id: string }): ReactNode {
  return useHazards().data?.hazards.find((hazard) => hazard.id === id)?.title ?? id
}

type Calibrated = HazardItems['hazards'][number]
type Share = Calibrated['calibration']['withHazard']

const RESULT_WORDS: Readonly<Record<Calibrated['calibration']['result'], string>> = {
  more_failures: 'fails more often',
  fewer_failures: 'fails less often',
  no_difference: 'no difference shown',
  too_few: 'too few upgrades',
}

const CALIBRATION_COLUMNS: readonly Column<Calibrated>[] = [
  { head: 'Hazard', kind: 'name', cell: ({ title }) => title, csv: ({ id }) => id },
  { head: 'Failed with it', kind: 'number', cell: ({ calibration }) => shareText(calibration.withHazard) },
  {
    head: 'Failed without it',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ calibration }) => shareText(calibration.withoutHazard),
  },
  {
    head: 'Result',
    cell: ({ calibration }) => RESULT_WORDS[calibration.result],
    csv: ({ calibration }) => calibration.result,
  },
]

/** `3 of 40 (7.5 %, 3 % – 20 %)`. */
function shareText({ upgrades, failed, low, high }: Share): string {
  if (upgrades === 0 || low === null || high === null) return '–'
  return `${formatCount(failed)} of ${formatCount(upgrades)} (${formatShare(low, 1)} – ${formatShare(high, 1)})`
}

/** What history shows about each hazard that occurred. */
export function CalibrationPanel(): ReactNode {
  return (
    <Panel
      title="Hazards in past upgrades"
      aside="95 % intervals; hazards as of the start of each upgrade, without alerts"
    >
      <Answer query={useHazards()} what="the history of hazards" skeletonLines={6}>
        {({ hazards }) => (
          <DataTable
            label="Failed upgrades by hazard"
            columns={CALIBRATION_COLUMNS}
            rows={hazards.filter(({ calibration }) => calibration.withHazard.upgrades > 0)}
            rowKey={({ id }) => id}
            empty={
              <p className="empty quiet">
                No ended upgrade started with a hazard, as far as stored.{' '}
                <Link href={FLEET_ROUTES.upgrades}>Upgrades</Link>
              </p>
            }
            csvName="hazards"
          />
        )}
      </Answer>
    </Panel>
  )
}
