import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { PLACES } from '../lib/paths.ts'

export function NotFoundPage(): ReactNode {
  const [pathname] = useLocation()
  return (
    <div className="page">
      <title>Not found · Daytwo</title>
      <h1>There is no page at {pathname}</h1>
      <ul className="bullets">
        {PLACES.map((place) => (
          <li key={place.path}>
            <Link href={place.path}>{place.name}</Link> <span className="quiet">{place.says}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
