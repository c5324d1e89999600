import type { ReactNode } from 'react'
import { freshnessOf } from '../lib/freshness.ts'
import type { Freshness } from '../lib/freshness.ts'
import { formatAge, msOf } from '../lib/format-time.ts'
import { useNow } from '../query/use-fleet.ts'
import { useMoment } from '../query/use-moment.ts'
import { useNowMs } from '../ui/server-clock.ts'
import { Shape } from '../ui/shapes.tsx'

/** How old what the page shows is. Quiet while all is well; a word, a shape and a colour when the server is gone. */
export function FreshnessMark(): ReactNode {
  const now = useNow()
  const isPast = useMoment() !== undefined
  const asOfMs = now.data === undefined ? undefined : msOf(now.data.asOf)
  const freshness = freshnessOf(asOfMs, now.isError, useNowMs())
  if (isPast && freshness.kind === 'live') {
    return (
      <span className="freshness freshness-past" role="status">
        <Shape name="clock" />
        <span>Past</span>
      </span>
    )
  }
  return (
    <span className={`freshness freshness-${freshness.kind}`} role="status">
      <Shape name={freshness.kind === 'offline' ? 'cross' : freshness.kind === 'old' ? 'clock' : 'disc'} />
      <span>{wordsOf(freshness)}</span>
    </span>
  )
}

/** The age is left out while it is small: a status that changes every second would be read out every second. */
function wordsOf(freshness: Freshness): string {
  switch (freshness.kind) {
    case 'connecting':
      return 'Connecting'
    case 'live':
      return 'Live'
    case 'old':
      return `Data ${formatAge(freshness.ageMs)} old`
    case 'offline':
      return freshness.ageMs === undefined ? 'No answer' : `No answer, data ${formatAge(freshness.ageMs)} old`
  }
}
