import { useEffect } from 'react'

/** Scrolls to the element that the address names: the browser looks for it before an answer is drawn. */
export function useFragment(): void {
  useEffect(() => {
    const id = window.location.hash.slice(1)
    if (id !== '') document.getElementById(id)?.scrollIntoView()
  }, [])
}
