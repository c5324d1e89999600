import { useEffect, useState, type RefObject } from 'react'
import { onAskedForAll } from './printing.ts'

/** How far outside of what is seen something is already prepared. */
const MARGIN = '200px'

/** True from the first time an element comes near to what is seen, and then for good. Printing shows everything. */
export function useInSight(place: RefObject<Element | null>): boolean {
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    const element = place.current
    if (element === null || isSeen) return
    const see = (): void => {
      setIsSeen(true)
    }
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) see()
      },
      { rootMargin: MARGIN },
    )
    observer.observe(element)
    const forget = onAskedForAll(see)
    return () => {
      observer.disconnect()
      forget()
    }
  }, [place, isSeen])
  return isSeen
}
