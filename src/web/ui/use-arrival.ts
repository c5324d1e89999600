import { useEffect, useRef, useState } from 'react'
import { focusDrawn } from './focus-drawn.ts'

/**
 * What a browser does when it loads a page, for pages that a script puts in each other's place: who comes to another one
 * begins at its heading, hears its title and sees its top. Nothing knows the router here.
 */

/** What was opened within the page comes before the page: whoever follows a link to an alert wants it, not its list. */
const OPENED = 'main [data-arrival]'
const HEADING = 'main h1'

/**
 * What is to be announced, empty until somebody went somewhere. The first page is the browser's own affair.
 *
 * @param isSamePage whether two addresses are of one page, which then stays as it is
 */
export function useArrival(pathname: string, isSamePage: (from: string, to: string) => boolean): string {
  const [announced, setAnnounced] = useState('')
  const before = useRef(pathname)
  const isTraversed = useRef(false)
  useEffect(() => {
    const onPopState = (): void => {
      isTraversed.current = true
    }
    // Before the router hears of it.
    window.addEventListener('popstate', onPopState, { capture: true })
    return () => {
      window.removeEventListener('popstate', onPopState, { capture: true })
    }
  }, [])
  useEffect(() => {
    const from = before.current
    const wasTraversed = isTraversed.current
    before.current = pathname
    isTraversed.current = false
    if (isSamePage(from, pathname)) return
    // The browser itself goes back to where a page was left, and to what a fragment names.
    if (!wasTraversed && window.location.hash === '') window.scrollTo(0, 0)
    return arrive(setAnnounced)
  }, [pathname, isSamePage])
  return announced
}

/** Waits for the page's heading and focuses it, and the one that takes its place, until the reader does something else. */
function arrive(announce: (title: string) => void): () => void {
  let heading: HTMLElement | undefined
  const look = (): void => {
    const found = seen(OPENED) ?? seen(HEADING)
    if (found === undefined || found === heading) return
    if (heading === undefined) announce(document.title)
    if (!isFree(document.activeElement, heading)) {
      end()
      return
    }
    heading = found
    if (!found.hasAttribute('tabindex')) found.tabIndex = -1
    focusDrawn(found, { preventScroll: true })
  }
  const observer = new MutationObserver(look)
  const onDeed = (): void => {
    // A key pressed while the page was on its way is none that says where the reader is on it.
    if (heading !== undefined) end()
  }
  const end = (): void => {
    observer.disconnect()
    for (const deed of DEEDS) window.removeEventListener(deed, onDeed, { capture: true })
  }
  for (const deed of DEEDS) window.addEventListener(deed, onDeed, { capture: true })
  observer.observe(document.body, { childList: true, subtree: true })
  look()
  return end
}

/** While the files of a page are on their way the page before it is still there, hidden. */
function seen(selector: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>(selector)].find((element) => element.checkVisibility())
}

const DEEDS = ['keydown', 'pointerdown'] as const

/** Whether nobody misses the focus: it is nowhere, on what was left behind, or on a heading that was replaced. */
function isFree(active: Element | null, heading: HTMLElement | undefined): boolean {
  if (active === null || active === document.body || active === heading) return true
  if (active.closest('dialog') !== null) return false
  const main = document.querySelector('main')
  return main === null || active === main || !main.contains(active)
}
