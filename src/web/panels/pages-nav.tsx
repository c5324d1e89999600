import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { EXPLORE_PAGES } from '../lib/explore-pages.ts'
import { FLEET_PAGES } from '../lib/fleet-pages.ts'
import { ALERT_PAGES } from '../lib/paths.ts'
import styles from './pages-nav.module.css'

const PAGES = { Fleet: FLEET_PAGES, Alerts: ALERT_PAGES, Explore: EXPLORE_PAGES } as const

/** The pages of a place, above each of them. The first is also the one whose address begins all others. */
export function PagesNav({ place }: { readonly place: keyof typeof PAGES }): ReactNode {
  const [pathname] = useLocation()
  const pages = PAGES[place]
  const current = pages.slice(1).find(({ path }) => pathname === path || pathname.startsWith(`${path}/`)) ?? pages[0]
  return (
    <nav className={`screen-only ${styles.root}`} aria-label={`Pages of ${place}`}>
      {pages.map((page) => (
        <Link key={page.path} href={page.path} {...(page === current ? { 'aria-current': 'page' } : {})}>
          {page.name}
        </Link>
      ))}
    </nav>
  )
}
