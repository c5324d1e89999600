import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { ROUTES } from '../../lib/paths.ts'

/** What a list says while there is nothing it could hold: good news would be none. */
export function NoClusterNote(): ReactNode {
  return (
    <p className="empty quiet">
      No cluster has reported yet. <Link href={ROUTES.now}>How to connect one</Link>
    </p>
  )
}
