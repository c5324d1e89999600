import { useEffect, useState, type ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import { isTracePath, isSamePage, PLACES } from '../lib/paths.ts'
import { momentOf } from '../lib/moment.ts'
import { liveState, setPaused, useLiveEvents, useLiveState } from '../query/live.ts'
import { useSettings } from '../query/use-fleet.ts'
import { isYetToCome } from '../query/use-moment.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import { holdClock, useNowMs } from '../ui/server-clock.ts'
import { ToastRegion } from '../ui/toast-region.tsx'
import { useArrival } from '../ui/use-arrival.ts'
import { useKeys } from '../ui/use-keys.ts'
import { useIsPrinting } from '../ui/printing.ts'
import { Moment } from '../ui/time.tsx'
import { Masthead } from './masthead.tsx'
import { MomentBar, YetToCome } from './moment-bar.tsx'
import { ServerNotices } from './server-notices.tsx'
import { CommandMenu, Tour, ViewDialog } from './shell-dialogs.ts'

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
  const settings = useSettings()
  useLiveEvents(settings.data !== undefined && settings.data.signedIn?.clusters === undefined)
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
      <ServerNotices />
      <main id="main" tabIndex={-1}>
        <ErrorBoundary key={pathname.split('/')[1]} what="this page" isServerThere={liveNow === 'live'}>
          {isAhead ? <YetToCome /> : children}
        </ErrorBoundary>
      </main>
      {settings.data?.isDemo === true ? <Tour /> : null}
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
