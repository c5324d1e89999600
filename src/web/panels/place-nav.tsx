import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { formatCount } from '../lib/format-number.ts'
import { placeOf, PLACES, type Place } from '../lib/paths.ts'
import { useNow } from '../query/use-fleet.ts'
import { Icon } from '../ui/icon.tsx'
import { Shape } from '../ui/shapes.tsx'
import { classNames } from '../ui/class-names.ts'
import styles from './place-nav.module.css'

const ICONS: Readonly<Record<Place['name'], ReactNode>> = {
  Now: <Icon name="lines" />,
  Fleet: <Icon name="racks" />,
  Adoption: <Icon name="graph" />,
  Alerts: <Icon name="bell" />,
  Explore: <Icon name="search" />,
}

/** The five places: in the masthead, and on a phone at the bottom, where the thumb is. */
export function PlaceNav(): ReactNode {
  const [pathname] = useLocation()
  const current = placeOf(pathname)
  const critical = useNow().data?.firing.critical ?? 0
  return (
    <nav className={styles.root} aria-label="Places">
      {PLACES.map((place) => (
        <Link key={place.name} href={place.path} {...(place === current ? { 'aria-current': 'page' } : {})}>
          <span className={styles.icon} aria-hidden="true">
            {ICONS[place.name]}
          </span>
          <span>{place.name}</span>
          {place.name === 'Alerts' ? (
            <span className={classNames('inline-row tone-critical text-tiny text-strong nums', styles.badge)}>
              {critical === 0 ? null : (
                <>
                  <Shape name="triangle" />
                  {formatCount(critical)}
                  <span className="visually-hidden"> critical</span>
                </>
              )}
            </span>
          ) : null}
        </Link>
      ))}
    </nav>
  )
}
