import { lazy, Suspense, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import { isTracePath } from '../lib/explore-paths.ts'
import { momentOf } from '../lib/moment.ts'
import { PLACES } from '../lib/paths.ts'
import { liveState, setPaused, useLiveEvents } from '../query/live.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import { holdClock } from '../ui/server-clock.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { ToastRegion } from '../ui/toast-region.tsx'
import { useKeys } from '../ui/use-keys.ts'
import { Masthead } from './masthead.tsx'
import { MomentBar } from './moment-bar.tsx'
import { PaperHead } from './paper-head.tsx'

/** Comes when it is asked for, which most readers never do. */
const ViewDialog = lazy(async () => ({ default: (await import('./view-dialog.tsx')).ViewDialog }))

/** It reads all there is to go to, which the first screen can do without. */
const CommandMenu = lazy(async () => ({ default: (await import('./command-menu.tsx')).CommandMenu }))

type OpenDialog = 'none' | 'commands' | 'view'

/** What is around every page: masthead, places, the two dialogs and the keys that work anywhere. */
export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  const [dialog, setDialog] = useState<OpenDialog>('none')
  const [pathname, navigate] = useLocation()
  const { density } = usePreferences()
  const momentMs = momentOf(useSearch())
  useEffect(() => {
    holdClock(momentMs)
  }, [momentMs])
  useLiveEvents()
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
  const close = (): void => {
    setDialog('none')
  }
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
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
      <main id="main" tabIndex={-1}>
        <ErrorBoundary key={pathname.split('/')[1]} what="this page">
          <Suspense fallback={<PageComes />}>{children}</Suspense>
        </ErrorBoundary>
      </main>
      <ToastRegion />
      {dialog === 'commands' ? (
        <Suspense>
          <CommandMenu onClose={close} />
        </Suspense>
      ) : null}
      {dialog === 'view' ? (
        <ErrorBoundary what="the view and the keys">
          <Suspense fallback={null}>
            <ViewDialog onClose={close} />
          </Suspense>
        </ErrorBoundary>
      ) : null}
    </>
  )
}

/** In the place where the page will stand. */
function PageComes(): ReactNode {
  return (
    <div className="page">
      <Skeleton lines={8} label="Loading the page" />
    </div>
  )
}

/** Ctrl-K or Cmd-K works inside inputs too: the modifier says that it is not text. */
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
