import { useState, type ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import { atMoment, formatMomentParam, momentOf, unreadableMoment } from '../lib/moment.ts'
import { presentSentence } from '../lib/past-notes.ts'
import { withSearch } from '../lib/address.ts'
import { toFieldTime, fromFieldTime } from '../lib/format-time.ts'
import { isYetToCome } from '../query/use-moment.ts'
import { Button } from '../ui/button.tsx'
import { submitTo, valueTo } from '../ui/form-events.ts'
import { Notice } from '../ui/notice.tsx'
import { laterPart } from '../ui/later-part.tsx'
import { usePreferences } from '../ui/preferences.ts'
import { presentMs } from '../ui/server-clock.ts'
import { Shape } from '../ui/shapes.tsx'
import { Moment } from '../ui/time.tsx'

const HOUR_MS = 3600_000

/** Above every page that shows the past: the moment, other moments, and back to now. Absent while the page is live. */
export function MomentBar(): ReactNode {
  const [pathname, navigate] = useLocation()
  const search = useSearch()
  const momentMs = momentOf(search)
  const unreadable = unreadableMoment(search)
  const go = (ms: number | undefined): void => {
    navigate(atMoment(withSearch(pathname, search), ms))
  }
  const backToNow = (
    <Button
      size="sm"
      onClick={() => {
        go(undefined)
      }}
    >
      Back to now
    </Button>
  )
  if (unreadable !== undefined) {
    return (
      <div className="row moment-bar" role="status">
        <Shape name="diamond" />
        <span>
          Showing the current state: the time “{unreadable}” in the link is not valid. Expected format:{' '}
          <span className="nums">{formatMomentParam(presentMs())}</span>.
        </span>
        <span className="row screen-only moment-tools">{backToNow}</span>
      </div>
    )
  }
  if (momentMs === undefined) return null
  if (isYetToCome(search)) {
    return (
      <div className="row moment-bar" role="status">
        <Shape name="diamond" />
        <span>
          The selected time <Moment atMs={momentMs} /> is in the future
        </span>
        <span className="row screen-only moment-tools">
          <MomentField key={momentMs} momentMs={momentMs} onChoose={go} />
          {backToNow}
        </span>
      </div>
    )
  }
  const present = presentSentence(pathname)
  return (
    <div className="row moment-bar" role="status">
      <Shape name="clock" />
      <span>
        {present === undefined ? 'State at ' : `${present} Selected time: `}
        <Moment atMs={momentMs} />
      </span>
      <UnavailableNote pathname={pathname} />
      <span className="row screen-only moment-tools">
        <Button
          variant="inline"
          onClick={() => {
            go(momentMs - HOUR_MS)
          }}
        >
          1 h earlier
        </Button>
        <Button
          variant="inline"
          onClick={() => {
            // What is later than the present is the present.
            go(momentMs + HOUR_MS > presentMs() ? undefined : momentMs + HOUR_MS)
          }}
        >
          1 h later
        </Button>
        <MomentField key={momentMs} momentMs={momentMs} onChoose={go} />
        {backToNow}
      </span>
    </div>
  )
}

/** The words for what a past page lacks come when one is shown. Its place is reserved: nothing below may move. */
const UnavailableNote = laterPart<{ readonly pathname: string }>(
  async () => (await import('./unavailable-note.tsx')).UnavailableNote,
  () => <span className="screen-only moment-unavailable is-empty">Not available: 0</span>,
)

interface MomentFieldProps {
  readonly momentMs: number
  /** What it is for; the moment the page shows when left out. */
  readonly label?: string
  readonly onChoose: (momentMs: number) => void
}

/** A moment in the zone of the reader; applied with Enter, or when the field loses the focus and is complete. */
export function MomentField({ momentMs, label = 'Time to show', onChoose }: MomentFieldProps): ReactNode {
  const { zone } = usePreferences()
  const [typed, setTyped] = useState(toFieldTime(momentMs, zone))
  const take = (): void => {
    const ms = fromFieldTime(typed, zone)
    if (ms !== undefined && ms !== momentMs) onChoose(ms)
  }
  return (
    <form className="moment-field" onSubmit={submitTo(take)}>
      <input
        type="datetime-local"
        className="control"
        step={1}
        aria-label={`${label}, ${zone === 'utc' ? 'in UTC' : 'in your time zone'}`}
        value={typed}
        onChange={valueTo(setTyped)}
        onBlur={take}
      />
    </form>
  )
}

/** Instead of a page for a moment in the future. */
export function YetToCome(): ReactNode {
  return (
    <div className="page">
      <title>Future time · Daytwo</title>
      <h1 className="visually-hidden">Future time</h1>
      <Notice kind="note" title="The selected time is in the future">
        Select a time up to now (<Moment atMs={presentMs()} />) above, or go back to now.
      </Notice>
    </div>
  )
}
