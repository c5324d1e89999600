import { useCallback, useEffect, useRef, type ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { AlertItems } from '../../contract/alerts.ts'
import { type AlertView, ALERT_VIEW } from '../lib/alert-view.ts'
import { alertPath, alertsPath } from '../lib/paths.ts'
import { useAlertActions } from '../panels/alert-actions.tsx'
import { AlertList } from '../panels/alert-list.tsx'
import { focusedFingerprint, moveFocus, useOpenRow } from '../panels/alert-row-focus.ts'
import { useAlertSelection, SelectionBar } from '../panels/alert-selection.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { OpenedAlert, useOpenedAlert } from '../panels/opened-alert.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { alertsCall, useAlerts } from '../query/use-fleet.ts'
import { useMoment } from '../query/use-moment.ts'
import { focusDrawn } from '../ui/focus-drawn.ts'
import { useKeys } from '../ui/use-keys.ts'
import styles from './alerts-page.module.css'

const NO_ALERTS: AlertItems['alerts'] = []

/** All alerts; with `fingerprint`, one alert open beside the list. The list and the alert load independently. */
export function AlertsPage({ fingerprint }: { readonly fingerprint: string | undefined }): ReactNode {
  const list = useAlerts()
  const moment = useMoment()
  const call = alertsCall(moment)
  const view = ALERT_VIEW.parse(useSearch())
  const [, navigate] = useLocation()
  const opened = useOpenedAlert(fingerprint, list)
  const alerts = list.data?.alerts ?? NO_ALERTS
  const selection = useAlertSelection(alerts)
  const actions = useAlertActions({ alerts, selection, fingerprint, opened: opened.alert })
  const place = useRef<HTMLDivElement>(null)
  const isOpen = fingerprint !== undefined
  const open = (chosen: string): void => {
    // Walking through the list with an alert open is one visit, not a page of history per key press.
    navigate(alertPath(chosen, view), { replace: isOpen })
  }
  const openRow = useStable(open)
  const close = (): void => {
    navigate(alertsPath(view))
  }
  const change = (next: AlertView): void => {
    navigate(fingerprint === undefined ? alertsPath(next) : alertPath(fingerprint, next), { replace: true })
  }
  const step = (by: number): void => {
    const next = moveFocus(place.current, by, fingerprint)
    if (next !== undefined && isOpen) open(next)
  }
  useKeys({
    j: () => {
      step(1)
    },
    k: () => {
      step(-1)
    },
    r: () => {
      focusDrawn(document.getElementById('runbook'))
    },
    a: () => {
      actions.start('acknowledge')
    },
    s: () => {
      actions.start('silence')
    },
    x: () => {
      const focused = focusedFingerprint()
      if (focused !== undefined) selection.set([focused], !selection.chosen.has(focused))
    },
    ...(isOpen ? { Esc: close } : {}),
  })
  useOpenRow(place, fingerprint, list.data !== undefined)
  return (
    <div className={isOpen ? styles.withDetail : undefined}>
      <h1 className="visually-hidden">Alerts</h1>
      <title>
        {opened.alert === undefined
          ? 'Alerts · Daytwo'
          : `${opened.alert.alertname} on ${opened.alert.cluster} · Daytwo`}
      </title>
      <div className={`page ${styles.list}`} ref={place}>
        <PagesNav place="Alerts" />
        <Answer query={list} what="the alerts" skeletonLines={14} call={call}>
          {(items) => (
            <>
              <AlertList
                items={items}
                view={view}
                onChange={change}
                openFingerprint={fingerprint}
                onOpen={openRow}
                selection={selection}
              />
              <ApiCallNote call={{ path: call }} />
            </>
          )}
        </Answer>
        <SelectionBar
          count={selection.chosen.size}
          isPast={moment !== undefined}
          onAction={actions.start}
          onClear={selection.clear}
        />
      </div>
      {fingerprint === undefined ? null : (
        <OpenedAlert
          key={fingerprint}
          fingerprint={fingerprint}
          opened={opened}
          onClose={close}
          onAction={actions.startForOpened}
        />
      )}
      {actions.dialog}
    </div>
  )
}

/** A function with a stable identity that calls the newest `run`: memoized rows then render only when their values change. */
function useStable<T>(run: (input: T) => void): (input: T) => void {
  const newest = useRef(run)
  useEffect(() => {
    newest.current = run
  })
  return useCallback((input: T) => {
    newest.current(input)
  }, [])
}
