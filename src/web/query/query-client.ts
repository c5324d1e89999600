import { QueryClient } from '@tanstack/react-query'
import { liveState } from './live.ts'

/** The cache of answers. A poll is its own retry, so a failed one is shown at once and tried again at the next. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      // The server may be on this machine: the browser's idea of being offline says nothing about it.
      networkMode: 'always',
      refetchOnWindowFocus: () => liveState() !== 'paused',
      gcTime: 10 * 60_000,
    },
  },
})
