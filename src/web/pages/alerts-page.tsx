import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { AlertItem, AlertItems } from '../../contract/alerts.ts'
import { parseAlertAsk } from '../lib/alert-ask.ts'
import { groupableLabels, groupAlerts } from '../lib/alert-groups.ts'
import { applyAlertView, isFiltered, parseAlertView } from '../lib/alert-view.ts'
import type { AlertView } from '../lib/alert-view.ts'
import { countOf } from '../lib/format-number.ts'
import { ownLabelsByName } from '../lib/own-labels.ts'
import { alertPath, alertsPath } from '../lib/paths.ts'
import { newDraft } from '../lib/silence-draft.ts'
import { matchersFor } from '../lib/silence-matchers.ts'
import { steadyAlerts } from '../lib/steady-list.ts'
import { AcknowledgeDialog } from '../panels/acknowledge-dialog.tsx'
import { AlertFilters } from '../panels/alert-filters.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { AlertTable } from '../panels/alert-table.tsx'
import type { Selection } from '../panels/alert-table.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { NewsBar } from '../panels/news-bar.tsx'
import { EmptyAlerts } from '../panels/no-alerts.tsx'
import { OpenedAlert, useOpenedAlert } from '../panels/opened-alert.tsx'
import { SelectionBar } from '../panels/selection-bar.tsx'
import { SilenceDialog } from '../panels/silence-dialog.tsx'
import { alertsCall, useAlerts } from '../query/use-fleet.ts'
import { useMoment } from '../query/use-moment.ts'
import { focusDrawn } from '../ui/focus-drawn.ts'
import { Notice } from '../ui/notice.tsx'
import { usePreferences } from '../ui/preferences.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { useKeys } from '../ui/use-keys.ts'

/** As long as there is no answer. */
const NO_ALERTS: AlertItems = { asOfMs: 0, alerts: [], failing: [] }

/** All alerts; with `fingerprint`, one of them open beside the list. Neither needs the other to be read. */
export function AlertsPage({ fingerprint }: { readonly fingerprint: string | undefined }): ReactNode {
  const list = useAlerts()
  const moment = useMoment()
  const call = alertsCall(moment)
  const items = list.data ?? NO_ALERTS
  const query = useSearch()
  const view = parseAlertView(query)
  const [, navigate] = useLocation()
  const opened = useOpenedAlert(fingerprint, list)
  const [asking, setAsking] = useState<Asking>()
  // A link in a message leads here with its question, which waits for its alert.
  const [linked, setLinked] = useState(() => ({ kind: parseAlertAsk(query), fingerprint }))
  if (linked.kind !== undefined && (opened.alert !== undefined || fingerprint !== linked.fingerprint)) {
    setLinked({ kind: undefined, fingerprint })
    if (opened.alert !== undefined && fingerprint === linked.fingerprint && moment === undefined) {
      setAsking({ kind: linked.kind, alerts: [opened.alert] })
    }
  }
  const selection = useSelection(items.alerts)
  const place = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  // The list as it was when the reader last asked for it: polls change its values, never its rows.
  const [read, setRead] = useState({ query, alerts: items.alerts })
  if (read.query !== query || (read.alerts.length === 0 && items.alerts.length > 0)) {
    setRead({ query, alerts: items.alerts })
  }
  // Ten thousand alerts take tens of milliseconds to filter, sort and group: only for a new list or a new view.
  const groups = useMemo(() => {
    const asked = parseAlertView(query)
    return groupAlerts(applyAlertView(read.alerts, asked), asked.groupBy)
  }, [read.alerts, query])
  const labels = useMemo(() => ownLabelsByName(read.alerts), [read.alerts])
  const groupable = useMemo(() => groupableLabels(read.alerts), [read.alerts])
  const steady = useMemo(
    () => steadyAlerts(read.alerts, items.alerts, parseAlertView(query)),
    [read.alerts, items.alerts, query],
  )
  const shown = groups.reduce((sum, group) => sum + group.alerts.length, 0)
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
  const showNew = (): void => {
    setRead({ query, alerts: items.alerts })
  }
  const ask = (kind: Asking['kind']): void => {
    // What is over can be neither acknowledged nor silenced.
    if (moment !== undefined) return
    const meant = meantAlerts(items.alerts, selection.chosen, opened.alert)
    if (meant.length > 0) setAsking({ kind, alerts: meant })
  }
  const askOpened = (kind: Asking['kind']): void => {
    if (opened.alert !== undefined) setAsking({ kind, alerts: [opened.alert] })
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
      focusDrawn(document.getElementById('runbook'))
    },
    a: () => {
      ask('acknowledge')
    },
    s: () => {
      ask('silence')
    },
    x: () => {
      const focused = focusedFingerprint()
      if (focused !== undefined) selection.set([focused], !selection.chosen.has(focused))
    },
    u: showNew,
    ...(isOpen ? { Esc: close } : {}),
  })
  useFocusBack(place, fingerprint)
  useOpenRowInView(place, fingerprint, list.data !== undefined)

  return (
    <div className={isOpen ? 'alerts-page has-detail' : 'alerts-page'}>
      <h1 className="visually-hidden">Alerts</h1>
      <title>
        {opened.alert === undefined
          ? 'Alerts · Daytwo'
          : `${opened.alert.alertname} on ${opened.alert.cluster} · Daytwo`}
      </title>
      <div className="alerts-list" ref={place}>
        <PagesNav place="Alerts" />
        <Answer query={list} what="the alerts" skeletonLines={14} call={call}>
          {() => (
            <>
              <FailingRules failing={items.failing} />
              {items.alerts.length === 0 ? (
                <EmptyAlerts asOfMs={items.asOfMs} isPartial={items.failing.length > 0} />
              ) : (
                <AlertFilters
                  view={view}
                  onChange={change}
                  shown={shown}
                  total={read.alerts.length}
                  labels={groupable}
                  searchRef={search}
                />
              )}
              <NewsBar news={steady} noun="alert" onShow={showNew} />
              {shown > 0 ? (
                <AlertTable
                  groups={groups}
                  current={steady.current}
                  ownLabels={labels}
                  view={view}
                  openFingerprint={fingerprint}
                  onOpen={openRow}
                  selection={selection}
                />
              ) : null}
              {shown === 0 && isFiltered(view) && items.alerts.length > 0 ? (
                <p className="empty quiet">No alert passes these filters.</p>
              ) : null}
              <ApiCallNote call={{ path: call }} />
            </>
          )}
        </Answer>
        <SelectionBar
          count={selection.chosen.size}
          isPast={moment !== undefined}
          onAcknowledge={() => {
            ask('acknowledge')
          }}
          onSilence={() => {
            ask('silence')
          }}
          onClear={selection.clear}
        />
      </div>
      {fingerprint === undefined ? null : (
        <OpenedAlert
          key={fingerprint}
          fingerprint={fingerprint}
          opened={opened}
          onClose={close}
          onAcknowledge={() => {
            askOpened('acknowledge')
          }}
          onSilence={() => {
            askOpened('silence')
          }}
        />
      )}
      <AskDialog
        asking={asking}
        onClose={() => {
          setAsking(undefined)
        }}
        onDone={selection.clear}
      />
    </div>
  )
}

/** What somebody is about to do, and to which alerts. */
interface Asking {
  readonly kind: 'acknowledge' | 'silence'
  readonly alerts: readonly AlertItem[]
}

interface AskDialogProps {
  readonly asking: Asking | undefined
  readonly onClose: () => void
  readonly onDone: () => void
}

function AskDialog({ asking, onClose, onDone }: AskDialogProps): ReactNode {
  const { zone } = usePreferences()
  if (asking === undefined) return null
  const { kind, alerts } = asking
  if (kind === 'acknowledge') return <AcknowledgeDialog alerts={alerts} onClose={onClose} onDone={onDone} />
  return (
    <SilenceDialog
      initial={newDraft(matchersFor(alerts), serverNowMs(), zone)}
      wanted={alerts.map((alert) => alert.fingerprint)}
      onClose={onClose}
      onDone={onDone}
    />
  )
}

/** The alerts a key is meant for: those selected, else the open one, else the one whose row has the focus. */
function meantAlerts(
  alerts: readonly AlertItem[],
  chosen: ReadonlySet<string>,
  opened: AlertItem | undefined,
): readonly AlertItem[] {
  if (chosen.size === 0 && opened !== undefined) return [opened]
  const one = focusedFingerprint()
  return alerts.filter(({ fingerprint }) => (chosen.size > 0 ? chosen.has(fingerprint) : fingerprint === one))
}

function focusedFingerprint(): string | undefined {
  const row = document.activeElement?.closest('tr')
  return row?.querySelector<HTMLElement>('[data-alert]')?.dataset['alert']
}

/** A function that stays the same and does what the newest one does, for rows that are drawn again only when they change. */
function useStable<T>(run: (input: T) => void): (input: T) => void {
  const newest = useRef(run)
  useEffect(() => {
    newest.current = run
  })
  return useCallback((input: T) => {
    newest.current(input)
  }, [])
}

/** Chosen alerts; one that is not reported any more is not chosen any more. */
function useSelection(alerts: readonly AlertItem[]): Selection & { readonly clear: () => void } {
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set())
  const chosen = useMemo(
    () =>
      asked.size === 0
        ? asked
        : new Set(alerts.filter(({ fingerprint }) => asked.has(fingerprint)).map(({ fingerprint }) => fingerprint)),
    [asked, alerts],
  )
  const set = useCallback((fingerprints: readonly string[], isChosen: boolean) => {
    setAsked((before) => {
      const next = new Set(before)
      for (const fingerprint of fingerprints) {
        if (isChosen) next.add(fingerprint)
        else next.delete(fingerprint)
      }
      return next
    })
  }, [])
  return {
    chosen,
    set,
    clear: () => {
      setAsked(new Set())
    },
  }
}

/** Puts the focus on the next or previous row's link or group; from nowhere, on the open alert's neighbour or the first row. */
function moveFocus(list: HTMLElement | null, by: number, openFingerprint: string | undefined): string | undefined {
  const links = [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const focused = links.findIndex((link) => link === document.activeElement)
  const at =
    focused >= 0
      ? focused
      : links.findIndex(({ dataset }) => dataset['alert'] !== undefined && dataset['alert'] === openFingerprint)
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
      focusDrawn(list.current?.querySelector<HTMLElement>(`a[data-alert="${CSS.escape(before.current)}"]`))
    }
    before.current = fingerprint
  }, [fingerprint, list])
}

/** A link may open an alert whose row is far down the list. */
function useOpenRowInView(
  list: React.RefObject<HTMLElement | null>,
  fingerprint: string | undefined,
  isListThere: boolean,
): void {
  useEffect(() => {
    if (fingerprint === undefined || !isListThere) return
    list.current?.querySelector('[data-alert][aria-current]')?.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }, [fingerprint, list, isListThere])
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
