import { useEffect, useState, type ReactNode } from 'react'
import { useLocation, useSearch, Link } from 'wouter'
import { isTracePath, isSamePage, PLACES, runbookPath } from '../lib/paths.ts'
import { momentOf } from '../lib/moment.ts'
import { liveState, setPaused, useLiveEvents, useLiveState } from '../query/live.ts'
import { isYetToCome } from '../query/use-moment.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import { holdClock, useNowMs } from '../ui/server-clock.ts'
import { ToastRegion } from '../ui/toast-region.tsx'
import { useArrival } from '../ui/use-arrival.ts'
import { useKeys } from '../ui/use-keys.ts'
import { useIsPrinting } from '../ui/printing.ts'
import { Moment } from '../ui/time.tsx'
import { formatAge, msOf } from '../lib/format-time.ts'
import { damageSentence, damageTitle, roomSentence, storageTitle } from '../lib/storage-text.ts'
import { useNow } from '../query/use-fleet.ts'
import { Notice } from '../ui/notice.tsx'
import { Masthead } from './masthead.tsx'
import { MomentBar, YetToCome } from './moment-bar.tsx'
import { CommandMenu, ViewDialog } from './shell-dialogs.ts'

type OpenDialog = 'none' | 'commands' | 'view'

/** What is around every page: masthead, places, the two dialogs and the keys that work anywhere. */
export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  const [dialog, setDialog] = useState<OpenDialog>('none')
  const [pathname, navigate] = useLocation()
  const { density } = usePreferences()
  const search = useSearch()
  const isAhead = isYetToCome(search)
  const momentMs = isAhead ? undefined : momentOf(search)
  useEffect(() => {
    holdClock(momentMs)
  }, [momentMs])
  useLiveEvents()
  const liveNow = useLiveState()
  useKeys({
    '?': () => {
      setDialog('view')
    },
    d: () => {
      setPreference('density', density === 'dense' ? 'comfortable' : 'dense')
    },
    // In a trace `p` is the previous error, and nothing there is live.
    ...(isTracePath(pathname)
      ? {}
      : {
          p: () => {
            setPaused(liveState() !== 'paused')
          },
        }),
    ...Object.fromEntries(
      PLACES.map((place) => [
        `g ${place.key}`,
        () => {
          navigate(place.path)
        },
      ]),
    ),
  })
  useCommandKey(() => {
    setDialog('commands')
  })
  const arrivedAt = useArrival(pathname, isSamePage)
  const close = (): void => {
    setDialog('none')
  }
  return (
    <>
      <a className="skip-link screen-only" href="#main">
        Skip to content
      </a>
      <p className="visually-hidden" aria-live="polite" data-announces="page">
        {arrivedAt}
      </p>
      <Masthead
        onCommands={() => {
          setDialog('commands')
        }}
        onView={() => {
          setDialog('view')
        }}
      />
      <PaperHead />
      <MomentBar />
      <StorageNotice />
      <DamageNotice />
      <main id="main" tabIndex={-1}>
        <ErrorBoundary key={pathname.split('/')[1]} what="this page" isServerThere={liveNow === 'live'}>
          {isAhead ? <YetToCome /> : children}
        </ErrorBoundary>
      </main>
      <ToastRegion />
      {dialog === 'commands' ? (
        <ErrorBoundary what="the command menu">
          <CommandMenu onClose={close} />
        </ErrorBoundary>
      ) : null}
      {dialog === 'view' ? (
        <ErrorBoundary what="the view and the keys">
          <ViewDialog onClose={close} />
        </ErrorBoundary>
      ) : null}
    </>
  )
}

/** Ctrl-K or Cmd-K works inside inputs too: with a modifier it is not text. */
function useCommandKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', onKey)
    return () => {
      window.removeEventListener('keydown', onKey)
    }
  })
}

/** Above every page on paper: the moment that ages are counted from, and the address. */
function PaperHead(): ReactNode {
  return useIsPrinting() ? <AsOf /> : null
}

function AsOf(): ReactNode {
  return (
    <p className="paper-only paper-head">
      Daytwo, as of <Moment atMs={useNowMs()} />: {location.href}
    </p>
  )
}

/** Above every page while the server cannot store what it receives: the pages show old data then. */
function StorageNotice(): ReactNode {
  const storage = useNow().data?.faults?.storage ?? null
  const nowMs = useNowMs()
  if (storage === null) return null
  const sinceMs = msOf(storage.since)
  return (
    <div className="page" style={{ paddingBlockEnd: 0 }}>
      <Notice
        kind="error"
        title={storageTitle(storage)}
        actions={<Link href={runbookPath('DaytwoWritesFailing')}>Runbook</Link>}
      >
        Since <Moment atMs={sinceMs} />, {formatAge(Math.max(0, nowMs - sinceMs))} ago, pages show what was before. What
        clusters send is refused, and most of them repeat it; what is done here is not kept. {roomSentence(storage)}
      </Notice>
    </div>
  )
}

/** Above every page while stored data is damaged: what pages show may be incomplete. */
function DamageNotice(): ReactNode {
  const damage = useNow().data?.faults?.damage ?? null
  if (damage === null) return null
  return (
    <div className="page" style={{ paddingBlockEnd: 0 }}>
      <Notice
        kind="error"
        title={damageTitle(damage)}
        actions={<Link href={runbookPath('DaytwoStoreDamaged')}>Runbook</Link>}
      >
        {damageSentence(damage)} Everything else is served. <code>daytwo doctor</code> lists the damage and repairs it.
      </Notice>
    </div>
  )
}
