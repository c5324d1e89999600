import { placeOf, ROUTES } from './paths.ts'

/** What a page shows although its address names a moment, where that is not the moment. Pure. */

/** Addresses that begin so, the longest first; the rest of Now, Fleet and Alerts shows the moment. */
const PRESENT: readonly (readonly [path: string, says: string])[] = [
  [ROUTES.silences, 'This page shows the silences of the present.'],
  [ROUTES.delivery, 'This page shows what was delivered until now.'],
  [ROUTES.lint, 'This page shows the faults of the present.'],
  [ROUTES.rules, 'This page shows the rules of the present.'],
  ['/rb', 'The runbook is that of the present.'],
]

/** `undefined`: it shows the moment. */
export function presentSentence(pathname: string): string | undefined {
  const found = PRESENT.find(([path]) => pathname === path || pathname.startsWith(`${path}/`))
  if (found !== undefined) return found[1]
  const isOneAlert =
    placeOf(pathname)?.path === ROUTES.alerts && pathname !== ROUTES.alerts && pathname !== ROUTES.resolved
  return isOneAlert ? 'The list and the alert are of the moment, its runbook is that of the present.' : undefined
}
