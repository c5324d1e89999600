import { useEffect, useEffectEvent } from 'react'

/** What a reader does to a page, be it only a hand on the mouse. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const

/** Runs again and again while nobody touches the page: it hangs on a wall, or its reader is gone. */
export function useUntouched(afterMs: number, run: () => void): void {
  const onUntouched = useEffectEvent(run)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const wait = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        onUntouched()
        wait()
      }, afterMs)
    }
    wait()
    for (const sign of SIGNS) window.addEventListener(sign, wait, { passive: true })
    return () => {
      clearTimeout(timer)
      for (const sign of SIGNS) window.removeEventListener(sign, wait)
    }
  }, [afterMs])
}
