import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { askForAll } from '../ui/printing.ts'

/** Paper cannot be scrolled, and a reader does not wait for ever. */
const PATIENCE_MS = 15_000
/** So long nothing is asked any more: an answer may make a part ask the next. */
const QUIET_MS = 250

/** Prints the page when what was never in sight has come too. What has not come in time is said on the paper. */
export function usePrint(): () => void {
  const client = useQueryClient()
  return () => {
    askForAll()
    void untilQuiet(client).then(() => {
      window.print()
    })
  }
}

function untilQuiet(client: QueryClient): Promise<void> {
  return new Promise((done) => {
    const end = (): void => {
      clearTimeout(quiet)
      clearTimeout(late)
      forget()
      done()
    }
    let quiet = setTimeout(end, QUIET_MS)
    const late = setTimeout(end, PATIENCE_MS)
    const forget = client.getQueryCache().subscribe(() => {
      clearTimeout(quiet)
      if (client.isFetching() === 0) quiet = setTimeout(end, QUIET_MS)
    })
  })
}
