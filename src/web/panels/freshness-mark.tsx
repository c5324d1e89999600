import type { ReactNode } from 'react'
import { freshnessOf, type Freshness } from '../lib/freshness.ts'
import { formatAge, msOf } from '../lib/format-time.ts'
import { LIVE_POLL_MS, type LiveState } from '../lib/live-topics.ts'
import { ApiFailure } from '../query/fetch-json.ts'
import { setPaused, useLiveState } from '../query/live.ts'
import { useNow } from '../query/use-fleet.ts'
import { useMoment } from '../query/use-moment.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useNowMs } from '../ui/server-clock.ts'
import { Shape, type ShapeName } from '../ui/shapes.tsx'
import { Tip } from '../ui/tip.tsx'

/** How old what the page shows is. Quiet while all is well; a word, a shape and a colour when the server is gone. */
export function FreshnessMark(): ReactNode {
  const now = useNow()
  const state = useLiveState()
  const isPast = useMoment() !== undefined
  const asOfMs = now.data === undefined ? undefined : msOf(now.data.asOf)
  const freshness = freshnessOf(asOfMs, now.isError, useNowMs(), POLL_MS[state])
  if (isPast && freshness.kind === 'live') {
    return (
      <span className="freshness freshness-past" role="status">
        <Shape name="clock" />
        <span>Past</span>
      </span>
    )
  }
  const kind = freshness.kind === 'live' ? state : freshness.kind
  return (
    <>
      <span className={`freshness freshness-${kind}`} role="status" title={SAYS[state]}>
        <Shape name={SHAPES[kind]} />
        <span>{wordsOf(freshness, state, isRefused(now.error))}</span>
      </span>
      {isPast ? null : <PauseButton isPaused={state === 'paused'} />}
    </>
  )
}

function PauseButton({ isPaused }: { readonly isPaused: boolean }): ReactNode {
  const says = isPaused ? 'Go on showing what changes' : 'Pause: the page stands still'
  return (
    <Tip says={says} className="wide-only">
      <Button
        variant="plain"
        className="pause-button"
        aria-label={says}
        onClick={() => {
          setPaused(!isPaused)
        }}
        icon={isPaused ? <Icon name="play" /> : <Icon name="pause" />}
      />
    </Tip>
  )
}

const POLL_MS: Readonly<Record<LiveState, number | false>> = { live: LIVE_POLL_MS, polling: 0, paused: false }

const SAYS: Readonly<Record<LiveState, string>> = {
  live: 'The server says what changes, as it changes',
  polling: 'The server is asked every few seconds',
  paused: 'The page stands still until it is let go on',
}

const SHAPES: Readonly<Record<Exclude<Freshness['kind'], 'live'> | LiveState, ShapeName>> = {
  connecting: 'disc',
  live: 'disc',
  polling: 'ring',
  paused: 'dash',
  old: 'clock',
  offline: 'cross',
}

/** The age is left out while it is small: a status that changes every second would be read out every second. */
function wordsOf(freshness: Freshness, state: LiveState, isRefused: boolean): string {
  const none = isRefused ? 'No access' : 'No answer'
  switch (freshness.kind) {
    case 'connecting':
      return 'Connecting'
    case 'live':
      return state === 'live' ? 'Live' : state === 'polling' ? 'Polling' : pausedWords(freshness.ageMs)
    case 'old':
      return `Data ${formatAge(freshness.ageMs)} old`
    case 'offline':
      return freshness.ageMs === undefined ? none : `${none}, data ${formatAge(freshness.ageMs)} old`
  }
}

/** The server is there, and does not tell this reader. */
function isRefused(error: Error | null): boolean {
  return error instanceof ApiFailure && error.isRefusal
}

function pausedWords(ageMs: number): string {
  return ageMs < 60_000 ? 'Paused' : `Paused, ${formatAge(ageMs)} old`
}
