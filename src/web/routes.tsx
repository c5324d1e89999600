import type { ComponentType, ReactNode } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { configurationPath, EXPLORE_ROUTES, FLEET_LIST, FLEET_ROUTES, gatePath, ROUTES } from './lib/paths.ts'
import { withSearch } from './lib/address.ts'
import { NotFoundPage } from './pages/not-found-page.tsx'
import { NowPage } from './pages/now-page.tsx'
import { CommandMenu, ViewDialog } from './panels/shell-dialogs.ts'
import { laterPart, type LaterPart } from './ui/later-part.tsx'
import { Skeleton } from './ui/skeleton.tsx'

/** Address to page. The landing page comes with the program; each other one when it is needed, or when there is time. */

const load = {
  alerts: () => import('./pages/alerts-page.tsx'),
  runbook: () => import('./pages/runbook-page.tsx'),
  resolved: () => import('./pages/resolved-page.tsx'),
  outcomes: () => import('./pages/outcome-pages.tsx'),
  rules: () => import('./pages/rules-page.tsx'),
  rule: () => import('./pages/rule-page.tsx'),
  silences: () => import('./pages/silences-page.tsx'),
  delivery: () => import('./pages/delivery-page.tsx'),
  lint: () => import('./pages/lint-page.tsx'),
  explore: () => import('./pages/explore-page.tsx'),
  dashboards: () => import('./pages/dashboards-page.tsx'),
  dashboard: () => import('./pages/dashboard-page.tsx'),
  logs: () => import('./pages/logs-page.tsx'),
  metrics: () => import('./pages/metrics-page.tsx'),
  traces: () => import('./pages/traces-page.tsx'),
  trace: () => import('./pages/trace-page.tsx'),
  fleet: () => import('./pages/fleet-page.tsx'),
  cluster: () => import('./pages/cluster-page.tsx'),
  upgrades: () => import('./pages/upgrades-page.tsx'),
  upgrade: () => import('./pages/upgrade-page.tsx'),
  edges: () => import('./pages/edges-page.tsx'),
  edge: () => import('./pages/edge-page.tsx'),
  plan: () => import('./pages/plan-page.tsx'),
  modifications: () => import('./pages/modifications-page.tsx'),
  readiness: () => import('./pages/readiness-page.tsx'),
  rollouts: () => import('./pages/rollouts-page.tsx'),
  patches: () => import('./pages/patches-page.tsx'),
  patch: () => import('./pages/patch-page.tsx'),
  configuration: () => import('./pages/configuration-page.tsx'),
  setting: () => import('./pages/setting-page.tsx'),
  gate: () => import('./pages/gate-page.tsx'),
  adoption: () => import('./pages/adoption-page.tsx'),
} as const

function laterPage<P extends object>(page: () => Promise<ComponentType<P>>): LaterPart<P> {
  return laterPart(page, LoadingPage)
}

function LoadingPage(): ReactNode {
  return (
    <div className="page">
      <Skeleton lines={8} label="Loading the page" />
    </div>
  )
}

const AlertsPage = laterPage(async () => (await load.alerts()).AlertsPage)
const RunbookPage = laterPage(async () => (await load.runbook()).RunbookPage)
const ResolvedPage = laterPage(async () => (await load.resolved()).ResolvedPage)
const OutcomePages = laterPage(async () => (await load.outcomes()).OutcomePages)
const RulesPage = laterPage(async () => (await load.rules()).RulesPage)
const RulePage = laterPage(async () => (await load.rule()).RulePage)
const SilencesPage = laterPage(async () => (await load.silences()).SilencesPage)
const DeliveryPage = laterPage(async () => (await load.delivery()).DeliveryPage)
const LintPage = laterPage(async () => (await load.lint()).LintPage)
const ExplorePage = laterPage(async () => (await load.explore()).ExplorePage)
const DashboardsPage = laterPage(async () => (await load.dashboards()).DashboardsPage)
const DashboardPage = laterPage(async () => (await load.dashboard()).DashboardPage)
const LogsPage = laterPage(async () => (await load.logs()).LogsPage)
const MetricsPage = laterPage(async () => (await load.metrics()).MetricsPage)
const TracesPage = laterPage(async () => (await load.traces()).TracesPage)
const TracePage = laterPage(async () => (await load.trace()).TracePage)
const FleetPage = laterPage(async () => (await load.fleet()).FleetPage)
const ClusterPage = laterPage(async () => (await load.cluster()).ClusterPage)
const UpgradesPage = laterPage(async () => (await load.upgrades()).UpgradesPage)
const UpgradePage = laterPage(async () => (await load.upgrade()).UpgradePage)
const EdgesPage = laterPage(async () => (await load.edges()).EdgesPage)
const EdgePage = laterPage(async () => (await load.edge()).EdgePage)
const PlanPage = laterPage(async () => (await load.plan()).PlanPage)
const ModificationsPage = laterPage(async () => (await load.modifications()).ModificationsPage)
const RolloutsPage = laterPage(async () => (await load.rollouts()).RolloutsPage)
const RolloutPage = laterPage(async () => (await load.rollouts()).RolloutPage)
const ReadinessPage = laterPage(async () => (await load.readiness()).ReadinessPage)
const PatchesPage = laterPage(async () => (await load.patches()).PatchesPage)
const PatchPage = laterPage(async () => (await load.patch()).PatchPage)
const ConfigurationPage = laterPage(async () => (await load.configuration()).ConfigurationPage)
const SettingPage = laterPage(async () => (await load.setting()).SettingPage)
const GatePage = laterPage(async () => (await load.gate()).GatePage)
const AdoptionPage = laterPage(async () => (await load.adoption()).AdoptionPage)

/** What an on-call engineer needs next is fetched while the server can still be reached: one part at a time, when nothing is drawn. */
export async function preloadPages(): Promise<void> {
  for (const part of [AlertsPage, RunbookPage, CommandMenu, ViewDialog]) {
    await new Promise((resolve) => {
      // Safari has no idle callbacks.
      if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: IDLE_WITHIN_MS })
      else setTimeout(resolve)
    })
    await part.bring()
  }
}

const IDLE_WITHIN_MS = 2000

export function Routes(): ReactNode {
  return (
    <Switch>
      <Route path={ROUTES.now} component={NowPage} />
      <Route path={FLEET_LIST} component={FleetPage} />
      <Route path={FLEET_ROUTES.cluster}>{({ cluster }) => <ClusterPage key={cluster} name={cluster} />}</Route>
      <Route path={FLEET_ROUTES.upgrades} component={UpgradesPage} />
      <Route path={FLEET_ROUTES.upgrade}>{({ id }) => <UpgradePage key={id} id={id} />}</Route>
      <Route path={FLEET_ROUTES.edges} component={EdgesPage} />
      <Route path={FLEET_ROUTES.edge}>
        {({ operator, from, to }) => (
          <EdgePage key={`${operator} ${from} ${to}`} operator={operator} from={from} to={to} />
        )}
      </Route>
      <Route path={FLEET_ROUTES.plan} component={PlanPage} />
      <Route path={FLEET_ROUTES.modifications} component={ModificationsPage} />
      <Route path={FLEET_ROUTES.rollouts} component={RolloutsPage} />
      <Route path={FLEET_ROUTES.rollout}>{({ version }) => <RolloutPage key={version} version={version} />}</Route>
      <Route path={FLEET_ROUTES.readiness} component={ReadinessPage} />
      <Route path={FLEET_ROUTES.patches} component={PatchesPage} />
      <Route path={FLEET_ROUTES.patch}>{({ key }) => <PatchPage key={key} patchKey={key} />}</Route>
      <Route path={FLEET_ROUTES.configuration} component={ConfigurationPage} />
      <Route path={FLEET_ROUTES.setting}>{({ setting }) => <SettingPage key={setting} name={setting} />}</Route>
      <Route path={FLEET_ROUTES.gate}>{({ gate }) => <GatePage key={gate} gate={gate} />}</Route>
      <Route path={FLEET_ROUTES.oldGates}>
        <Redirect to={configurationPath()} replace />
      </Route>
      <Route path={FLEET_ROUTES.oldGate}>
        {({ gate }) => <Redirect to={withSearch(gatePath(gate), location.search.slice(1))} replace />}
      </Route>
      <Route path={ROUTES.adoption} component={AdoptionPage} />
      <Route path={ROUTES.resolved} component={ResolvedPage} />
      <Route path={ROUTES.outcomePages} component={OutcomePages} />
      <Route path={ROUTES.rules} component={RulesPage} />
      <Route path={ROUTES.rule}>{({ name }) => <RulePage key={name} name={name} />}</Route>
      <Route path={ROUTES.silences} component={SilencesPage} />
      <Route path={ROUTES.delivery} component={DeliveryPage} />
      <Route path={ROUTES.lint} component={LintPage} />
      <Route path={`${ROUTES.alerts}/:fingerprint?`}>
        {({ fingerprint }) => <AlertsPage fingerprint={fingerprint} />}
      </Route>
      <Route path={ROUTES.explore} component={ExplorePage} />
      <Route path={EXPLORE_ROUTES.dashboards} component={DashboardsPage} />
      <Route path={EXPLORE_ROUTES.dashboard}>{({ name }) => <DashboardPage key={name} name={name} />}</Route>
      <Route path={EXPLORE_ROUTES.logs} component={LogsPage} />
      <Route path={EXPLORE_ROUTES.metrics} component={MetricsPage} />
      <Route path={EXPLORE_ROUTES.traces} component={TracesPage} />
      <Route path={EXPLORE_ROUTES.trace}>{({ traceId }) => <TracePage key={traceId} traceId={traceId} />}</Route>
      <Route path={ROUTES.runbook}>{({ name }) => <RunbookPage key={name} name={name.replace(/\.md$/, '')} />}</Route>
      <Route component={NotFoundPage} />
    </Switch>
  )
}
