import type { ReactNode } from 'react'
import { useIsPrinting } from '../ui/printing.ts'
import { useNowMs } from '../ui/server-clock.ts'
import { Moment } from '../ui/time.tsx'

/** Above every page on paper: the moment that ages are counted from, and the address. */
export function PaperHead(): ReactNode {
  return useIsPrinting() ? <AsOf /> : null
}

function AsOf(): ReactNode {
  return (
    <p className="paper-only paper-head">
      Daytwo, as of <Moment atMs={useNowMs()} />: {location.href}
    </p>
  )
}
