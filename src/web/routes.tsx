import { lazy } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { ROUTES } from './lib/paths.ts'
import { NotFoundPage } from './pages/not-found-page.tsx'
import { NowPage } from './pages/now-page.tsx'

/** Address to page. The landing page comes with the program; each other one when it is needed, or when there is time. */

const load = {
  alerts: () => import('./pages/alerts-page.tsx'),
  runbook: () => import('./pages/runbook-page.tsx'),
  explore: () => import('./pages/explore-page.tsx'),
  fleet: () => import('./pages/fleet-page.tsx'),
  adoption: () => import('./pages/adoption-page.tsx'),
} as const

/** React wants a default export; this project has none. */
function lazyPage<P>(page: () => Promise<ComponentType<P>>): ComponentType<P> {
  return lazy(async () => ({ default: await page() }))
}

const AlertsPage = lazyPage(async () => (await load.alerts()).AlertsPage)
const RunbookPage = lazyPage(async () => (await load.runbook()).RunbookPage)
const ExplorePage = lazyPage(async () => (await load.explore()).ExplorePage)
const FleetPage = lazyPage(async () => (await load.fleet()).FleetPage)
const AdoptionPage = lazyPage(async () => (await load.adoption()).AdoptionPage)

/** What an on-call engineer needs next is fetched while the server can still be reached. */
export function preloadPages(): void {
  void Promise.allSettled([load.alerts(), load.runbook()])
}

export function Routes(): ReactNode {
  return (
    <Switch>
      <Route path={ROUTES.now} component={NowPage} />
      <Route path={ROUTES.fleet} component={FleetPage} />
      <Route path={ROUTES.adoption} component={AdoptionPage} />
      <Route path={`${ROUTES.alerts}/:fingerprint?`}>
        {({ fingerprint }) => <AlertsPage fingerprint={fingerprint} />}
      </Route>
      <Route path={ROUTES.explore} component={ExplorePage} />
      <Route path={ROUTES.runbook}>{({ name }) => <RunbookPage key={name} name={name.replace(/\.md$/, '')} />}</Route>
      <Route component={NotFoundPage} />
    </Switch>
  )
}
