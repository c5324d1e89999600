import { useId, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import { matchCommands } from '../lib/command-match.ts'
import { withSearch } from '../lib/address.ts'
import { EXPLORE_PAGES } from '../lib/explore-paths.ts'
import { FLEET_PAGES } from '../lib/fleet-paths.ts'
import { countOf } from '../lib/format-number.ts'
import { atMoment, momentOf } from '../lib/moment.ts'
import { ALERT_PAGES, alertsPath, explorePath, PLACES, runbookPath } from '../lib/paths.ts'
import { useAlerts, useNow } from '../query/use-fleet.ts'
import { useRunbookList } from '../query/use-runbook.ts'
import { Dialog } from '../ui/dialog.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import { serverNowMs } from '../ui/server-clock.ts'

interface Command {
  readonly label: string
  /** What it is or says, quiet beside the label. */
  readonly note: string
  readonly run: () => void
}

const SHOWN_MAX = 50

const HOUR_MS = 3600_000
const MOMENTS = [
  { label: 'As it was an hour ago', agoMs: HOUR_MS },
  { label: 'As it was a shift ago', agoMs: 8 * HOUR_MS },
  { label: 'As it was a day ago', agoMs: 24 * HOUR_MS },
  { label: 'As it was a week ago', agoMs: 7 * 24 * HOUR_MS },
] as const

/** Everything the UI can go to or do, by typing. */
export function CommandMenu({ onClose }: { readonly onClose: () => void }): ReactNode {
  const listId = useId()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const commands = useCommands(typed)
  const found = matchCommands(commands, typed).slice(0, SHOWN_MAX)
  const run = (command: Command | undefined): void => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      const next = (chosen + step + found.length) % found.length
      setChosen(next)
      document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(found[chosen])
    }
  }
  return (
    <Dialog title="Command menu" isTitleHidden onClose={onClose}>
      <input
        className="command-input"
        type="text"
        role="combobox"
        aria-label="Go to a page, an alert, a cluster or a runbook"
        aria-expanded="true"
        aria-controls={listId}
        {...(found.length > 0 ? { 'aria-activedescendant': `${listId}-${chosen}` } : {})}
        placeholder="Page, alert, cluster, runbook…"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <ul className="command-list" role="listbox" id={listId} aria-label="Commands">
        {found.map((command, i) => (
          <li
            key={`${command.note} ${command.label}`}
            id={`${listId}-${i}`}
            role="option"
            aria-selected={i === chosen}
            onClick={() => {
              run(command)
            }}
          >
            <span>{command.label}</span>
            <span className="quiet">{command.note}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p className="quiet command-none">Nothing is called “{typed}”.</p> : null}
    </Dialog>
  )
}

function useCommands(typed: string): Command[] {
  const [pathname, navigate] = useLocation()
  const search = useSearch()
  const { theme, zone } = usePreferences()
  const alerts = useAlerts().data?.alerts ?? []
  const silent = useNow().data?.silent.items ?? []
  const pages = useRunbookList(true).data?.pages ?? []
  const to = (label: string, note: string, path: string): Command => ({
    label,
    note,
    run: () => {
      navigate(path)
    },
  })
  const perName = new Map<string, number>()
  for (const { alertname } of alerts) perName.set(alertname, (perName.get(alertname) ?? 0) + 1)
  const clusters = new Set([...alerts.map((alert) => alert.cluster), ...silent.map(({ cluster }) => cluster)])
  clusters.delete('')
  const isDark = theme === 'dark'
  return [
    ...PLACES.map((place) => to(place.name, place.says, place.path)),
    ...[...FLEET_PAGES, ...ALERT_PAGES.slice(1), ...EXPLORE_PAGES.slice(1)].map((page) =>
      to(page.name, page.says, page.path),
    ),
    ...[...perName].map(([name, count]) => to(name, countOf(count, 'alert'), alertsPath({ alertname: name }))),
    ...[...clusters].map((cluster) => to(cluster, 'alerts of the cluster', alertsPath({ cluster }))),
    ...pages.map(({ name, summary }) => to(`Runbook ${name}`, summary, runbookPath(name))),
    {
      label: isDark ? 'Light theme' : 'Dark theme',
      note: 'view',
      run: () => {
        setPreference('theme', isDark ? 'light' : 'dark')
      },
    },
    {
      label: zone === 'utc' ? 'Times in local zone' : 'Times in UTC',
      note: 'view',
      run: () => {
        setPreference('zone', zone === 'utc' ? 'local' : 'utc')
      },
    },
    ...MOMENTS.map(({ label, agoMs }) => ({
      label,
      note: 'this page in the past',
      run: () => {
        navigate(atMoment(withSearch(pathname, search), serverNowMs() - agoMs))
      },
    })),
    ...(momentOf(search) === undefined
      ? []
      : [to('Back to now', 'this page live', atMoment(withSearch(pathname, search), undefined))]),
    ...(typed.trim() === ''
      ? []
      : [to(`Query ${typed.trim()}`, 'run as PromQL in Explore', explorePath(typed.trim()))]),
  ]
}
