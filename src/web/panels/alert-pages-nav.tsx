import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { ALERT_PAGES, ROUTES } from '../lib/paths.ts'

/** The pages of the place Alerts. */
export function AlertPagesNav(): ReactNode {
  const [pathname] = useLocation()
  const current =
    ALERT_PAGES.find(({ path }) => path !== ROUTES.alerts && (pathname === path || pathname.startsWith(`${path}/`))) ??
    ALERT_PAGES[0]
  return (
    <nav className="subnav" aria-label="Pages of Alerts">
      {ALERT_PAGES.map((page) => (
        <Link key={page.path} href={page.path} {...(page === current ? { 'aria-current': 'page' } : {})}>
          {page.name}
        </Link>
      ))}
    </nav>
  )
}
