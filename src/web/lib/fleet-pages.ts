import { FLEET_ROUTES } from './paths.ts'

/** The pages of the place Fleet. */
export const FLEET_PAGES = [
  {
    name: 'Clusters',
    path: FLEET_ROUTES.clusters,
    says: 'all clusters: versions, settings and state',
  },
  { name: 'Upgrades', path: FLEET_ROUTES.upgrades, says: 'active upgrades by phase, and the history' },
  {
    name: 'Upgrade paths',
    path: FLEET_ROUTES.edges,
    says: 'success rate and duration by phase',
  },
  {
    name: 'Readiness',
    path: FLEET_ROUTES.readiness,
    says: 'what to upgrade',
  },
  { name: 'Plan', path: FLEET_ROUTES.plan, says: 'steps and duration of an upgrade of a selection of clusters' },
  { name: 'Patches', path: FLEET_ROUTES.patches, says: 'JSON patches: what breaks in the next version' },
  {
    name: 'Configuration',
    path: FLEET_ROUTES.configuration,
    says: 'settings and feature gates in use, clusters that differ, QEMU versions, deprecated APIs',
  },
  { name: 'Rollouts', path: FLEET_ROUTES.rollouts, says: 'verdicts on upgrades' },
  {
    name: 'Modifications',
    path: FLEET_ROUTES.modifications,
    says: 'out-of-band modifications, and JSON patches by cluster',
  },
] as const
