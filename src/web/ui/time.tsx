import type { ReactNode } from 'react'
import { formatAge, formatMinutes, formatMoment, formatRelative } from '../lib/format-time.ts'
import { usePreferences } from './preferences.ts'
import { serverNowMs, useNowText } from './server-clock.ts'

interface SinceProps {
  readonly atMs: number
  readonly suffix?: string
  readonly isToMinute?: boolean
}

/** How long ago something was. */
export function Since({ atMs, suffix = '', isToMinute = false }: SinceProps): ReactNode {
  const age = useNowText((nowMs) => (isToMinute ? formatMinutes(nowMs - atMs) : formatAge(nowMs - atMs)))
  return (
    <TimeElement atMs={atMs}>
      {age}
      {suffix}
    </TimeElement>
  )
}

interface AgoProps {
  /** An ISO 8601 time as the API has it, or null. */
  readonly at: string | null
  /** The text for null. */
  readonly none?: string
  readonly isToMinute?: boolean
}

/** How long ago something was, as far as it is known. */
export function Ago({ at, none = 'not known', isToMinute = false }: AgoProps): ReactNode {
  if (at === null) return <span className="quiet">{none}</span>
  return <Since atMs={Date.parse(at)} suffix=" ago" isToMinute={isToMinute} />
}

/** How long it is until something. */
export function Until({ atMs }: { readonly atMs: number }): ReactNode {
  const length = useNowText((nowMs) => formatAge(atMs - nowMs))
  return <TimeElement atMs={atMs}>{length}</TimeElement>
}

/** The moment itself. */
export function Moment({ atMs }: { readonly atMs: number }): ReactNode {
  const { zone } = usePreferences()
  return <TimeElement atMs={atMs}>{formatMoment(atMs, zone)}</TimeElement>
}

/** On hover how long ago, and the moment in the reader's zone and the other one: whatever is shown, the others are there. */
function TimeElement({ atMs, children }: { readonly atMs: number; readonly children: ReactNode }): ReactNode {
  const { zone } = usePreferences()
  const isMoment = Number.isFinite(atMs) && Math.abs(atMs) <= 8.64e15
  const moments = [formatMoment(atMs, zone), formatMoment(atMs, zone === 'utc' ? 'local' : 'utc')]
  const title = [...(isMoment ? [formatRelative(atMs, serverNowMs())] : []), ...moments].join('\n')
  return (
    <time className="nums" title={title} {...(isMoment ? { dateTime: new Date(atMs).toISOString() } : {})}>
      {children}
    </time>
  )
}
