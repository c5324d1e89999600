import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { ROUTES } from '../lib/paths.ts'
import { useSettings, useNow } from '../query/use-fleet.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { setPreference, usePreferences, type Preferences } from '../ui/preferences.ts'
import { Tip } from '../ui/tip.tsx'
import { classNames } from '../ui/class-names.ts'
import { Shape, type ShapeName } from '../ui/shapes.tsx'
import { freshnessOf, type Freshness } from '../lib/freshness.ts'
import { formatAge, msOf } from '../lib/format-time.ts'
import { shownClusters } from '../lib/scope-text.ts'
import { LIVE_POLL_MS, type LiveState } from '../lib/live-topics.ts'
import { ApiFailure } from '../query/fetch-json.ts'
import { setPaused, useLiveState } from '../query/live.ts'
import { useMoment } from '../query/use-moment.ts'
import { useNowMs } from '../ui/server-clock.ts'
import { PlaceNav } from './place-nav.tsx'
import styles from './masthead.module.css'

interface MastheadProps {
  readonly onCommands: () => void
  readonly onView: () => void
}

export function Masthead({ onCommands, onView }: MastheadProps): ReactNode {
  const settings = useSettings()
  return (
    <header className={classNames('row row-nowrap screen-only', styles.root)}>
      <Link href={ROUTES.now} className={classNames('row rigid', styles.brand)}>
        <BrandMark />
        Daytwo
      </Link>
      <PlaceNav />
      {settings.data?.isDemo === true ? (
        <span
          className={classNames('quiet text-tiny no-wrap', styles.demo)}
          title="Started as a demo: the clusters, their samples and their alerts are simulated"
        >
          Demo<span className="wide-only">: simulated fleet</span>
        </span>
      ) : null}
      <div className={classNames('row row-nowrap no-wrap', styles.tools)}>
        <FreshnessMark />
        <Button variant="plain" className={styles.commands} onClick={onCommands}>
          <Icon name="search" /> <span className="visually-hidden">Command menu:</span>{' '}
          <span className="wide-only">Go to</span>{' '}
          <kbd className="wide-only" aria-hidden="true">
            Ctrl K
          </kbd>
        </Button>
        <ViewButtons />
        <ScopeButton onPress={onView} />
        <PersonButton onPress={onView} />
        <Button variant="plain" aria-label="View and help" onClick={onView} icon={<Icon name="dots" />} />
      </div>
    </header>
  )
}

/** A small moon beside a full one: the second day. */
function BrandMark(): ReactNode {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <circle cx="10" cy="16" r="6" fill="none" stroke="currentColor" strokeWidth="3" />
      <circle cx="22.5" cy="16" r="7.5" fill="currentColor" />
    </svg>
  )
}

const THEMES: Readonly<
  Record<Preferences['theme'], { readonly next: Preferences['theme']; readonly icon: ReactNode }>
> = {
  system: { next: 'light', icon: <Icon name="half-disc" /> },
  light: { next: 'dark', icon: <Icon name="sun" /> },
  dark: { next: 'system', icon: <Icon name="moon" /> },
}

/** On a phone these live in the view dialog. */
function ViewButtons(): ReactNode {
  const { theme, zone, density } = usePreferences()
  const isDense = density === 'dense'
  return (
    <span className={classNames('row wide-only', styles.view)}>
      <Tip says={zone === 'utc' ? 'Times are in UTC' : 'Times are in your zone'}>
        <Button
          variant="plain"
          className={styles.zone}
          onClick={() => {
            setPreference('zone', zone === 'utc' ? 'local' : 'utc')
          }}
          aria-label={zone === 'utc' ? 'Times in UTC: change to local' : 'Times are local: change to UTC'}
        >
          {zone === 'utc' ? 'UTC' : 'Local'}
        </Button>
      </Tip>
      <Tip says={isDense ? 'Dense rows' : 'Comfortable rows'}>
        <Button
          variant="plain"
          onClick={() => {
            setPreference('density', isDense ? 'comfortable' : 'dense')
          }}
          aria-label={isDense ? 'Rows are dense: change to comfortable' : 'Rows are comfortable: change to dense'}
          icon={isDense ? <Icon name="expand" /> : <Icon name="compress" />}
        />
      </Tip>
      <Tip says={`Theme: ${theme}`}>
        <Button
          variant="plain"
          onClick={() => {
            setPreference('theme', THEMES[theme].next)
          }}
          aria-label={`Theme ${theme}: change to ${THEMES[theme].next}`}
          icon={THEMES[theme].icon}
        />
      </Tip>
    </span>
  )
}

/** Of which clusters the pages are, where that is not all of the fleet. On a phone it is in the view dialog. */
function ScopeButton({ onPress }: { readonly onPress: () => void }): ReactNode {
  const signedIn = useSettings().data?.signedIn
  const shown = signedIn && shownClusters(signedIn)
  if (shown === undefined) return null
  return (
    <Button
      variant="plain"
      className={classNames('wide-only', styles.scope)}
      title={`The pages show the clusters of your role: ${shown}`}
      onClick={onPress}
    >
      {shown}
    </Button>
  )
}

/** Who is signed in. Role and sign-out are in the view dialog, on a phone all of it. */
function PersonButton({ onPress }: { readonly onPress: () => void }): ReactNode {
  const name = useSettings().data?.signedIn?.name
  if (name === undefined) return null
  return (
    <Button
      variant="plain"
      className={classNames('wide-only', styles.person)}
      title={name}
      aria-label={`Signed in as ${name}: account`}
      onClick={onPress}
      icon={<Icon name="person" />}
    >
      {name}
    </Button>
  )
}

/** How old what the page shows is. Quiet while all is well; a word, a shape and a colour when the server is gone. */
function FreshnessMark(): ReactNode {
  const now = useNow()
  const state = useLiveState()
  const isPast = useMoment() !== undefined
  const asOfMs = now.data === undefined ? undefined : msOf(now.data.asOf)
  const freshness = freshnessOf(asOfMs, now.isError, useNowMs(), POLL_MS[state])
  if (isPast && freshness.kind === 'live') {
    return (
      <span className="inline-row quiet text-small freshness" role="status">
        <Shape name="clock" />
        <span>Past</span>
      </span>
    )
  }
  const kind = freshness.kind === 'live' ? state : freshness.kind
  return (
    <>
      <span className={`inline-row quiet text-small freshness freshness-${kind}`} role="status" title={SAYS[state]}>
        <Shape name={SHAPES[kind]} />
        <span>{wordsOf(freshness, state, isRefused(now.error))}</span>
      </span>
      {isPast ? null : <PauseButton isPaused={state === 'paused'} />}
    </>
  )
}

function PauseButton({ isPaused }: { readonly isPaused: boolean }): ReactNode {
  const says = isPaused ? 'Resume live updates' : 'Pause live updates'
  return (
    <Tip says={says} className="wide-only">
      <Button
        variant="plain"
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
  live: 'Live updates from the server',
  polling: 'Polling the server every few seconds',
  paused: 'Live updates paused',
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
  const none = isRefused ? 'No access' : 'No response'
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

/** The server answers and denies access. */
function isRefused(error: Error | null): boolean {
  return error instanceof ApiFailure && error.isRefusal
}

function pausedWords(ageMs: number): string {
  return ageMs < 60_000 ? 'Paused' : `Paused, ${formatAge(ageMs)} old`
}
