import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { askForAll } from '../ui/printing.ts'

const PATIENCE_MS = 15_000
/** The time without requests before printing: an answer may cause the next request. */
const QUIET_MS = 250

/** Prints the page after loading its parts that were never visible. The paper names parts that did not load in time. */
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
