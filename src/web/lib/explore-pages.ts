import { EXPLORE_ROUTES } from './paths.ts'

/** The pages of the place Explore. */
export const EXPLORE_PAGES = [
  { name: 'PromQL', path: EXPLORE_ROUTES.promql, says: 'PromQL queries' },
  { name: 'Metrics', path: EXPLORE_ROUTES.metrics, says: 'all metrics, with labels and meaning' },
  { name: 'Traces', path: EXPLORE_ROUTES.traces, says: 'upgrades and other operations as spans' },
  { name: 'Logs', path: EXPLORE_ROUTES.logs, says: 'object changes and log records of a cluster' },
  { name: 'Dashboards', path: EXPLORE_ROUTES.dashboards, says: 'fleet dashboards' },
] as const
