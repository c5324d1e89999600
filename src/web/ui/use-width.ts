import { useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** What a part of the page is drawn for before it is measured. */
const FIRST_PX = 640

/** The width that an element has, in pixels, now and whenever it changes. */
export function useWidth<T extends HTMLElement>(): readonly [RefObject<T | null>, number] {
  const element = useRef<T>(null)
  const [widthPx, setWidthPx] = useState(FIRST_PX)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    setWidthPx(current.clientWidth)
    const observer = new ResizeObserver(() => {
      setWidthPx(current.clientWidth)
    })
    observer.observe(current)
    return () => {
      observer.disconnect()
    }
  }, [])
  return [element, widthPx]
}
