import { FLEET_ROUTES, placeOf, ROUTES } from './paths.ts'

/** Pages that show the present although their address has a moment. */

/** By prefix of the address, longest first; other pages show the moment. */
const PRESENT: readonly (readonly [path: string, says: string])[] = [
  [ROUTES.silences, 'This page shows current silences only.'],
  [ROUTES.delivery, 'This page shows all deliveries up to now.'],
  [ROUTES.lint, 'This page shows current findings only.'],
  [ROUTES.rules, 'This page shows current rules only.'],
  [FLEET_ROUTES.plan, 'This page shows current plans only.'],
  [`${FLEET_ROUTES.configuration}/settings`, 'This page shows current settings only.'],
  ['/rb', 'This page shows the current runbook.'],
]

/** `undefined`: the page shows the moment. */
export function presentSentence(pathname: string): string | undefined {
  const found = PRESENT.find(([path]) => pathname === path || pathname.startsWith(`${path}/`))
  if (found !== undefined) return found[1]
  const isOneAlert =
    placeOf(pathname)?.path === ROUTES.alerts && pathname !== ROUTES.alerts && pathname !== ROUTES.resolved
  return isOneAlert ? 'The list and the alert show the selected time; the runbook is the current one.' : undefined
}
