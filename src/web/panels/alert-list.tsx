import { useMemo, useState, type ReactNode } from 'react'
import { Link, useSearch } from 'wouter'
import { ownLabelsByName } from '../lib/alert-labels.ts'
import type { AlertItem, AlertItems } from '../../contract/alerts.ts'
import { groupableLabels, groupAlerts, type AlertGroup } from '../lib/alert-groups.ts'
import { applyAlertView, isFiltered, ALERT_VIEW, type AlertView } from '../lib/alert-view.ts'
import { countOf } from '../lib/format-number.ts'
import { coverageSentence } from '../lib/now-summary.ts'
import { ROUTES } from '../lib/paths.ts'
import { stableAlerts, type StableAlerts } from '../lib/stable-list.ts'
import { useNow } from '../query/use-fleet.ts'
import { Notice } from '../ui/notice.tsx'
import { useNowMs } from '../ui/server-clock.ts'
import { Since } from '../ui/time.tsx'
import { useKeys } from '../ui/use-keys.ts'
import { AlertFilters } from './alert-filters.tsx'
import { AlertTable, type AlertTableProps } from './alert-table.tsx'
import { ListChangesBar } from './list-changes-bar.tsx'

interface AlertListProps extends Pick<AlertTableProps, 'view' | 'openFingerprint' | 'onOpen' | 'selection'> {
  readonly items: AlertItems
  readonly onChange: (view: AlertView) => void
}

/** The alerts below their filters. A poll changes values and never rows; new alerts wait behind a bar. */
export function AlertList({ items, view, onChange, ...table }: AlertListProps): ReactNode {
  const { groups, labels, groupable, changes, total, update } = useSteadyGroups(items.alerts)
  const shown = groups.reduce((sum, group) => sum + group.alerts.length, 0)
  useKeys({ u: update })
  return (
    <>
      <FailingRules failing={items.failing} />
      {items.alerts.length === 0 ? (
        <EmptyAlerts asOfMs={items.asOfMs} isPartial={items.failing.length > 0} />
      ) : (
        <AlertFilters view={view} onChange={onChange} shown={shown} total={total} labels={groupable} />
      )}
      <ListChangesBar news={changes} noun="alert" onShow={update} />
      {shown > 0 ? (
        <AlertTable groups={groups} current={changes.current} ownLabels={labels} view={view} {...table} />
      ) : null}
      {shown === 0 && isFiltered(view) && items.alerts.length > 0 ? (
        <p className="empty quiet">No alert matches these filters.</p>
      ) : null}
    </>
  )
}

interface SteadyGroups {
  readonly groups: readonly AlertGroup[]
  readonly labels: ReadonlyMap<string, string>
  readonly groupable: readonly string[]
  /** Between the list that is shown and the newest answer. */
  readonly changes: StableAlerts
  readonly total: number
  readonly update: () => void
}

/** The groups of the list as the reader last requested it: with another view, or with `update`. */
function useSteadyGroups(alerts: readonly AlertItem[]): SteadyGroups {
  const search = useSearch()
  const [read, setRead] = useState({ search, alerts })
  if (read.search !== search || (read.alerts.length === 0 && alerts.length > 0)) setRead({ search, alerts })
  // Ten thousand alerts take tens of milliseconds to filter, sort and group: only for a new list or a new view.
  const groups = useMemo(() => {
    const view = ALERT_VIEW.parse(search)
    return groupAlerts(applyAlertView(read.alerts, view), view.groupBy)
  }, [read.alerts, search])
  const labels = useMemo(() => ownLabelsByName(read.alerts), [read.alerts])
  const groupable = useMemo(() => groupableLabels(read.alerts), [read.alerts])
  const changes = useMemo(
    () => stableAlerts(read.alerts, alerts, ALERT_VIEW.parse(search)),
    [read.alerts, alerts, search],
  )
  return {
    groups,
    labels,
    groupable,
    changes,
    total: read.alerts.length,
    update: () => {
      setRead({ search, alerts })
    },
  }
}

/** Rules whose alerts the list cannot show, because their evaluation fails. */
function FailingRules({ failing }: { readonly failing: AlertItems['failing'] }): ReactNode {
  if (failing.length === 0) return null
  return (
    <Notice kind="partial" title={`${countOf(failing.length, 'rule')} could not be evaluated: alerts may be missing`}>
      <details>
        <summary>Failing rules</summary>
        <ul>
          {failing.map(({ group, rule, error }) => (
            <li key={`${group} ${rule} ${error}`}>
              <strong>{rule}</strong> in {group}: {error}
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  )
}

/** The empty list with its coverage: without reporting clusters it means nothing. */
function EmptyAlerts({ asOfMs, isPartial }: { readonly asOfMs: number; readonly isPartial: boolean }): ReactNode {
  const now = useNow().data
  const nowMs = useNowMs()
  const isBlind = now?.clusters.reporting === 0
  const sentence =
    now === undefined ? (
      <>
        Last checked <Since atMs={asOfMs} suffix=" ago" />.
      </>
    ) : (
      coverageSentence(now, nowMs)
    )
  if (isPartial)
    return (
      <Notice kind="note" title="No alerts from the working rules">
        {sentence}
      </Notice>
    )
  if (isBlind) {
    return (
      <Notice kind="note" title="No alerts: no data to evaluate">
        No cluster is reporting. <Link href={ROUTES.now}>How to connect one</Link>
      </Notice>
    )
  }
  return (
    <Notice kind="good" title="No firing or pending alerts.">
      {sentence}
    </Notice>
  )
}
