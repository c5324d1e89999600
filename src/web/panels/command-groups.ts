import { EXPLORE_PAGES } from '../lib/explore-pages.ts'
import { FLEET_PAGES } from '../lib/fleet-pages.ts'
import { useLocation, useSearch } from 'wouter'
import type { ClusterItems } from '../../contract/fleet-clusters.ts'
import { withSearch } from '../lib/address.ts'
import { searchWord, type CommandGroup } from '../lib/command-groups.ts'
import {
  dashboardPath,
  dashboardsPath,
  metricsPath,
  clusterPath,
  clustersPath,
  edgePath,
  edgesPath,
  upgradePath,
  upgradesPath,
  ALERT_PAGES,
  alertsPath,
  DOCS_PATH,
  promqlPath,
  nowPath,
  PLACES,
  rulePath,
  rulesPath,
  runbookPath,
} from '../lib/paths.ts'
import { UPGRADE_STATE_WORDS, stepText } from '../lib/fleet-names.ts'
import { countOf } from '../lib/format-number.ts'
import { atMoment, momentOf } from '../lib/moment.ts'
import { setPaused, useLiveState } from '../query/live.ts'
import { useFoundClusters, useMenuUpgrades, useMetricNames } from '../query/use-command-search.ts'
import { useDashboards } from '../query/use-dashboards.ts'
import { useEdges } from '../query/use-edges.ts'
import { useAlerts } from '../query/use-fleet.ts'
import { usePrint } from '../query/use-print.ts'
import { useRules } from '../query/use-rules.ts'
import { useRunbookList } from '../query/use-runbook.ts'
import { copyToClipboard } from '../ui/copy-button.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { sayDone, sayFailed } from '../ui/toasts.ts'
import { useSettled } from '../ui/use-settled.ts'

/** All pages, objects and actions of the command menu. */

export interface Command {
  readonly label: string
  /** A short description, quiet beside the label. */
  readonly note: string
  readonly run: () => void
}

/** A group, and the list that has all of it. */
export interface MenuGroup extends CommandGroup<Command> {
  readonly morePath?: string
  /** That list is not narrowed to what is typed. */
  readonly isMoreWhole?: boolean
  /** There are more than were searched. */
  readonly isPart?: boolean
}

/** The state of the search on the server for the typed text. */
export type Search = 'looking' | 'failed' | 'done'

export interface Menu {
  readonly groups: readonly MenuGroup[]
  readonly search: Search
}

const HOUR_MS = 3600_000
const MOMENTS = [
  { label: 'State 1 h ago', agoMs: HOUR_MS },
  { label: 'State 8 h ago', agoMs: 8 * HOUR_MS },
  { label: 'State 1 day ago', agoMs: 24 * HOUR_MS },
  { label: 'State 7 days ago', agoMs: 7 * 24 * HOUR_MS },
] as const

/** The search on the server starts after this pause in typing. */
const TYPED_MS = 150

export function useMenu(typed: string): Menu {
  const [, navigate] = useLocation()
  const text = searchWord(useSettled(typed, TYPED_MS))
  const to: To = (label, note, path) => ({
    label,
    note,
    run: () => {
      navigate(path)
    },
  })
  const query = typed.trim()
  const found = useFoundClusters(text)
  const isLooking = query !== '' && (text !== searchWord(typed) || found.isFetching)
  const groups: readonly MenuGroup[] = [
    { title: 'Pages', commands: pageCommands(to) },
    ...useFleetGroups(to, text, found.data),
    ...useAlertGroups(to, text),
    ...useExploreGroups(to, text),
    { title: 'Actions', commands: useActions(to) },
    { title: 'This page', commands: useMoments(to) },
    ...(query === ''
      ? []
      : [
          {
            title: 'Query',
            commands: [to(`Query ${query}`, 'run as PromQL in Explore', promqlPath(query))],
            isLast: true,
          },
        ]),
  ]
  return { groups, search: isLooking ? 'looking' : query !== '' && found.isError ? 'failed' : 'done' }
}

type To = (label: string, note: string, path: string) => Command

function pageCommands(to: To): readonly Command[] {
  const pages = [...PLACES, ...FLEET_PAGES, ...ALERT_PAGES.slice(1), ...EXPLORE_PAGES.slice(1)]
  return pages.map(({ name, says, path }) => to(name, says, path))
}

function useFleetGroups(to: To, text: string, clusters: ClusterItems | undefined): readonly MenuGroup[] {
  const [running, newest] = [useMenuUpgrades('in_progress').data, useMenuUpgrades('').data]
  const goneClusters = new Set([...(running?.goneClusters ?? []), ...(newest?.goneClusters ?? [])])
  const edges = useEdges().data?.edges ?? []
  const upgrades = new Map(
    [...(running?.upgrades ?? []), ...(newest?.upgrades ?? [])].map((upgrade) => [upgrade.id, upgrade]),
  )
  const versions = [...new Set(edges.map((edge) => edge.to))]
  return [
    {
      title: 'Clusters',
      commands:
        text === ''
          ? []
          : (clusters?.clusters ?? []).map(({ cluster, gone }) =>
              to(cluster, gone === null ? 'cluster' : 'decommissioned cluster', clusterPath(cluster)),
            ),
      total: clusters?.total ?? 0,
      morePath: clustersPath({ q: text }),
    },
    {
      title: 'Upgrades',
      commands: [...upgrades.values()].map((upgrade) => {
        const { id, cluster, state } = upgrade
        return to(
          `${cluster}: ${stepText(upgrade)}`,
          `upgrade, ${state === 'in_progress' && goneClusters.has(cluster) ? 'on a decommissioned cluster' : UPGRADE_STATE_WORDS[state]}`,
          upgradePath(id),
        )
      }),
      morePath: upgradesPath(),
      isMoreWhole: true,
      isPart: [running, newest].some((answer) => typeof answer?.nextCursor === 'string'),
    },
    {
      title: 'Versions and upgrade paths',
      commands: [
        ...versions.map((version) => to(`Version ${version}`, 'clusters on this version', clustersPath({ version }))),
        ...edges.map((edge) =>
          to(
            `Upgrade path ${stepText(edge)}`,
            'success rate and duration',
            edgePath(edge.operator, edge.from, edge.to),
          ),
        ),
      ],
      morePath: edgesPath(),
      isMoreWhole: true,
    },
  ]
}

function useAlertGroups(to: To, text: string): readonly MenuGroup[] {
  const alerts = useAlerts().data?.alerts ?? []
  const pages = useRunbookList(true).data?.pages ?? []
  const rules = (useRules().data ?? []).flatMap((group) => group.rules)
  const perName = new Map<string, number>()
  for (const { alertname } of alerts) perName.set(alertname, (perName.get(alertname) ?? 0) + 1)
  const perCluster = new Set(alerts.map(({ cluster }) => cluster).filter((cluster) => cluster !== ''))
  return [
    {
      title: 'Alerts',
      commands: [
        ...[...perName].map(([name, count]) => to(name, countOf(count, 'alert'), alertsPath({ alertname: name }))),
        ...[...perCluster].map((cluster) => to(`Alerts of ${cluster}`, 'by cluster', alertsPath({ cluster }))),
      ],
      morePath: alertsPath({ text }),
    },
    {
      title: 'Runbooks',
      commands: pages.map(({ name, summary }) => to(`Runbook ${name}`, summary, runbookPath(name))),
      morePath: rulesPath({ q: text }),
    },
    {
      title: 'Rules',
      commands: [...new Set(rules.map(({ name }) => name))].map((name) =>
        to(`Rule ${name}`, 'health, tests and back-test', rulePath(name)),
      ),
      morePath: rulesPath({ q: text }),
    },
  ]
}

function useExploreGroups(to: To, text: string): readonly MenuGroup[] {
  const dashboards = useDashboards().data?.dashboards ?? []
  const metrics = useMetricNames(text !== '').data ?? []
  return [
    {
      title: 'Dashboards',
      commands: dashboards.map(({ name, title }) => to(title, 'dashboard', dashboardPath(name))),
      morePath: dashboardsPath({ q: text }),
    },
    {
      title: 'Metrics',
      commands: text === '' ? [] : metrics.map((metric) => to(metric, 'metric', metricsPath({ metric }))),
      morePath: metricsPath({ q: text }),
    },
  ]
}

function useActions(to: To): readonly Command[] {
  const { theme, zone, density } = usePreferences()
  const isPaused = useLiveState() === 'paused'
  const isDark = theme === 'dark'
  const print = usePrint()
  const action = (label: string, note: string, run: () => void): Command => ({ label, note, run })
  return [
    action(isDark ? 'Light theme' : 'Dark theme', 'view', () => {
      setPreference('theme', isDark ? 'light' : 'dark')
    }),
    action(zone === 'utc' ? 'Times in local zone' : 'Times in UTC', 'view', () => {
      setPreference('zone', zone === 'utc' ? 'local' : 'utc')
    }),
    action(density === 'dense' ? 'Comfortable rows' : 'Dense rows', 'view', () => {
      setPreference('density', density === 'dense' ? 'comfortable' : 'dense')
    }),
    action(isPaused ? 'Resume live updates' : 'Pause live updates', 'view', () => {
      setPaused(!isPaused)
    }),
    action('Copy a link to this page', 'with filters and order', () => {
      void copyToClipboard(location.href).then((isCopied) => {
        if (isCopied) sayDone('Link copied.')
        else sayFailed('The browser denied access to the clipboard. Copy the link from the address bar.')
      })
    }),
    action('Print this page', 'complete, without controls', print),
    action('Documentation', 'concepts, operating, integrations, reference', () => {
      location.assign(DOCS_PATH)
    }),
    to('Hand over the shift', 'summary for the next shift, to copy or print', nowPath({ handover: '8h' })),
  ]
}

function useMoments(to: To): readonly Command[] {
  const [pathname, navigate] = useLocation()
  const search = useSearch()
  const here = withSearch(pathname, search)
  return [
    ...MOMENTS.map(({ label, agoMs }) => ({
      label,
      note: 'this page at a past time',
      run: () => {
        navigate(atMoment(here, serverNowMs() - agoMs))
      },
    })),
    ...(momentOf(search) === undefined
      ? []
      : [to('Back to now', 'this page with live data', atMoment(here, undefined))]),
  ]
}
