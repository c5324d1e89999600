import { useEffect, useMemo, useRef } from 'react'
import type { ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { AlertItems } from '../../contract/alerts.ts'
import { applyAlertView, isFiltered, parseAlertView, WHOLE_VIEW } from '../lib/alert-view.ts'
import type { AlertView } from '../lib/alert-view.ts'
import { countOf } from '../lib/format-number.ts'
import { ownLabelsByName } from '../lib/own-labels.ts'
import { alertPath, alertsPath } from '../lib/paths.ts'
import { AlertDetail } from '../panels/alert-detail.tsx'
import { AlertFilters } from '../panels/alert-filters.tsx'
import { AlertTable } from '../panels/alert-table.tsx'
import { Answer } from '../panels/answer.tsx'
import { EmptyAlerts, MissingAlert } from '../panels/no-alerts.tsx'
import { useAlerts } from '../query/use-fleet.ts'
import { Notice } from '../ui/notice.tsx'
import { useKeys } from '../ui/use-keys.ts'

/** All alerts; with `fingerprint`, one of them open beside the list. */
export function AlertsPage({ fingerprint }: { readonly fingerprint: string | undefined }): ReactNode {
  const query = useAlerts()
  return (
    <div className={`alerts-page ${fingerprint === undefined ? '' : 'has-detail'}`}>
      <h1 className="visually-hidden">Alerts</h1>
      <Answer query={query} what="the alerts" skeletonLines={14}>
        {(items) => <AlertsAnswer items={items} fingerprint={fingerprint} />}
      </Answer>
    </div>
  )
}

interface AlertsAnswerProps {
  readonly items: AlertItems
  readonly fingerprint: string | undefined
}

function AlertsAnswer({ items, fingerprint }: AlertsAnswerProps): ReactNode {
  const query = useSearch()
  const view = parseAlertView(query)
  const [, navigate] = useLocation()
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  // Ten thousand alerts take tens of milliseconds to filter and sort: only for a new list or a new view.
  const groups = useMemo(() => applyAlertView(items.alerts, parseAlertView(query)), [items.alerts, query])
  const labels = useMemo(() => ownLabelsByName(items.alerts), [items.alerts])
  const shown = groups.flatMap((group) => group.alerts)
  const isOpen = fingerprint !== undefined
  const opened = items.alerts.find((alert) => alert.fingerprint === fingerprint)

  const open = (chosen: string): void => {
    // Walking through the list with an alert open is one visit, not a page of history per key press.
    navigate(alertPath(chosen, view), { replace: isOpen })
  }
  const close = (): void => {
    navigate(alertsPath(view))
  }
  const change = (next: AlertView): void => {
    navigate(fingerprint === undefined ? alertsPath(next) : alertPath(fingerprint, next), { replace: true })
  }
  const step = (by: number): void => {
    const next = moveFocus(list.current, by, fingerprint)
    if (next !== undefined && isOpen) open(next)
  }
  useKeys({
    j: () => {
      step(1)
    },
    k: () => {
      step(-1)
    },
    '/': () => {
      search.current?.focus()
    },
    r: () => {
      document.getElementById('runbook')?.focus()
    },
    ...(isOpen ? { Esc: close } : {}),
  })
  useFocusBack(list, fingerprint)
  useOpenRowInView(list, fingerprint)

  return (
    <>
      <title>{opened === undefined ? 'Alerts · Daytwo' : `${opened.alertname} on ${opened.cluster} · Daytwo`}</title>
      <div className="alerts-list" ref={list}>
        <FailingRules failing={items.failing} />
        {items.alerts.length === 0 ? (
          <EmptyAlerts asOfMs={items.asOfMs} isPartial={items.failing.length > 0} />
        ) : (
          <AlertFilters
            view={view}
            onChange={change}
            shown={shown.length}
            total={items.alerts.length}
            searchRef={search}
          />
        )}
        {shown.length > 0 ? (
          <AlertTable groups={groups} ownLabels={labels} view={view} openFingerprint={fingerprint} onOpen={open} />
        ) : null}
        {shown.length === 0 && isFiltered(view) && items.alerts.length > 0 ? (
          <p className="empty quiet">No alert passes these filters.</p>
        ) : null}
      </div>
      {opened === undefined ? null : <AlertDetail key={opened.fingerprint} alert={opened} onClose={close} />}
      {isOpen && opened === undefined ? <MissingAlert listPath={alertsPath(WHOLE_VIEW)} /> : null}
    </>
  )
}

/** Puts the focus on the next or previous row's link; from nowhere, on the open alert's neighbour or the first row. */
function moveFocus(list: HTMLElement | null, by: number, openFingerprint: string | undefined): string | undefined {
  const links = [...(list?.querySelectorAll<HTMLElement>('a[data-alert]') ?? [])]
  const focused = links.findIndex((link) => link === document.activeElement)
  const at = focused >= 0 ? focused : links.findIndex((link) => link.dataset['alert'] === openFingerprint)
  const next = links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
  return next?.dataset['alert']
}

/** Closing an alert gives the focus back to its row, where the reader came from. */
function useFocusBack(list: React.RefObject<HTMLElement | null>, fingerprint: string | undefined): void {
  const before = useRef(fingerprint)
  useEffect(() => {
    if (fingerprint === undefined && before.current !== undefined) {
      list.current?.querySelector<HTMLElement>(`a[data-alert="${CSS.escape(before.current)}"]`)?.focus()
    }
    before.current = fingerprint
  }, [fingerprint, list])
}

/** A link may open an alert whose row is far down the list. */
function useOpenRowInView(list: React.RefObject<HTMLElement | null>, fingerprint: string | undefined): void {
  useEffect(() => {
    if (fingerprint === undefined) return
    list.current?.querySelector('[aria-current]')?.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }, [fingerprint, list])
}

/** A rule that fails is an alert nobody gets: said above the list, because the list cannot show it. */
function FailingRules({ failing }: { readonly failing: AlertItems['failing'] }): ReactNode {
  if (failing.length === 0) return null
  return (
    <Notice kind="partial" title={`${countOf(failing.length, 'rule')} could not be evaluated: alerts may be missing`}>
      <details>
        <summary>Which, and why</summary>
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
