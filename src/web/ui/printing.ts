import { useSyncExternalStore } from 'react'

/** Whether the page is being put on paper: then it is light, and lists are drawn as far as they are read. */

const media = matchMedia('print')
let isAsked = false

function subscribe(listener: () => void): () => void {
  const before = (): void => {
    isAsked = true
    listener()
  }
  const after = (): void => {
    isAsked = false
    listener()
  }
  window.addEventListener('beforeprint', before)
  window.addEventListener('afterprint', after)
  media.addEventListener('change', listener)
  return () => {
    window.removeEventListener('beforeprint', before)
    window.removeEventListener('afterprint', after)
    media.removeEventListener('change', listener)
  }
}

export function isPrinting(): boolean {
  return isAsked || media.matches
}

const wholeListeners = new Set<() => void>()

/** Asks every part that waits until it is seen: the page is wanted whole. */
export function askForAll(): void {
  for (const listener of [...wholeListeners]) listener()
}

/** Called when the page is wanted whole: it is put on paper, or soon will be. The answer takes the listener away. */
export function onAskedForAll(listener: () => void): () => void {
  wholeListeners.add(listener)
  window.addEventListener('beforeprint', listener)
  return () => {
    wholeListeners.delete(listener)
    window.removeEventListener('beforeprint', listener)
  }
}

/** For code outside components. The answer takes the listener away. */
export const onPrinting = subscribe

export function useIsPrinting(): boolean {
  return useSyncExternalStore(subscribe, isPrinting)
}
