import type { ReactNode } from 'react'
import { Skeleton } from '../ui/skeleton.tsx'

/** In the place where a page will stand whose files are on their way. */
export function PageComes(): ReactNode {
  return (
    <div className="page">
      <Skeleton lines={8} label="Loading the page" />
    </div>
  )
}
