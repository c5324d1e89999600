/** The pages that are measured, each with what has to stand in it. */
import type { MeasuredPage } from './paint.ts'

export const NOW_PAGE: MeasuredPage = { name: 'Now', path: '/', useful: '.answer .headline' }
export const FLEET_PAGE: MeasuredPage = { name: 'Fleet', path: '/fleet', useful: 'tr[data-index] a' }

export const PAGES: readonly MeasuredPage[] = [
  NOW_PAGE,
  FLEET_PAGE,
  { name: 'Upgrades', path: '/fleet/upgrades', useful: '.answer table tbody a' },
  { name: 'Edges', path: '/fleet/edges', useful: '.answer table tbody a' },
  { name: 'Adoption', path: '/adoption', useful: 'main .answer svg, main .answer canvas' },
  { name: 'Alerts', path: '/alerts', useful: '.answer .alert-table tbody tr' },
  { name: 'Rules', path: '/alerts/rules', useful: '.answer table tbody tr' },
  { name: 'a runbook', path: '/rb/VirtOperatorDown', useful: '.runbook-body-page h2' },
  { name: 'Dashboards', path: '/explore/dashboards', useful: 'main .answer a' },
  { name: 'Traces', path: '/explore/traces', useful: 'main table tbody a' },
]
