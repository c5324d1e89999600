import { StrictMode, useEffect, type ReactNode } from 'react'
import { QueryClientProvider, QueryClient } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import './ui/styles/tokens.css'
import './ui/styles/base.css'
import './ui/styles/layout.css'
import './ui/styles/parts.css'
import './ui/styles/tables.css'
import './ui/styles/print.css'
import { keepMoment } from './lib/moment.ts'
import { Shell } from './panels/shell.tsx'
import { useSettings } from './query/use-fleet.ts'
import { preloadPages, Routes } from './routes.tsx'
import { startTelemetry } from './telemetry.ts'
import { startPreferences } from './ui/preferences.ts'
import { liveState } from './query/live.ts'

/** Starts the page. */

/** Long enough for the first answer to be drawn. */
const IDLE_MS = 1500

function App(): ReactNode {
  const { data: settings } = useSettings()
  useEffect(() => {
    const timer = setTimeout(() => void preloadPages(), IDLE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [])
  useEffect(() => {
    if (settings === undefined) return
    const timer = setTimeout(() => {
      // Without telemetry the page loses nothing, so a failure to load it stays here.
      startTelemetry(settings).catch(() => undefined)
    }, IDLE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [settings])
  return (
    <Router
      hrefs={(path) => keepMoment(path, location.search)}
      aroundNav={(navigate, path, options) => {
        navigate(keepMoment(path, location.search), options)
      }}
    >
      <Shell>
        <Routes />
      </Shell>
    </Router>
  )
}

/** The cache of answers. Polling is the retry, so a failure is shown at once. */
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      // The server may be on this machine, reachable while the browser is offline.
      networkMode: 'always',
      refetchOnWindowFocus: () => liveState() !== 'paused',
      gcTime: 10 * 60_000,
    },
  },
})

startPreferences()
const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element with the id root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
