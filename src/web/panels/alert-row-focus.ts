import { useEffect, useRef, type RefObject } from 'react'
import { focusDrawn } from '../ui/focus-drawn.ts'

/** The focus in the alert list. The link or group toggle of a row has `data-row`, and that of an alert `data-alert`. */

/** The alert whose row has the focus. */
export function focusedFingerprint(): string | undefined {
  const row = document.activeElement?.closest('tr')
  return row?.querySelector<HTMLElement>('[data-alert]')?.dataset['alert']
}

/**
 * Focuses the next or previous row; without a focused row, the neighbour of the open alert or the first row.
 *
 * @returns the fingerprint of the newly focused row, `undefined` for a group
 */
export function moveFocus(
  list: HTMLElement | null,
  by: number,
  openFingerprint: string | undefined,
): string | undefined {
  const links = [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const focused = links.findIndex((link) => link === document.activeElement)
  const at =
    focused >= 0
      ? focused
      : links.findIndex(({ dataset }) => dataset['alert'] !== undefined && dataset['alert'] === openFingerprint)
  const next = links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
  return next?.dataset['alert']
}

/** Scrolls the row of an opened alert into view, and returns the focus to that row when the alert is closed. */
export function useOpenRow(
  list: RefObject<HTMLElement | null>,
  fingerprint: string | undefined,
  isListLoaded: boolean,
): void {
  const before = useRef(fingerprint)
  useEffect(() => {
    if (fingerprint === undefined && before.current !== undefined) {
      focusDrawn(list.current?.querySelector<HTMLElement>(`a[data-alert="${CSS.escape(before.current)}"]`))
    }
    before.current = fingerprint
  }, [fingerprint, list])
  useEffect(() => {
    if (fingerprint === undefined || !isListLoaded) return
    list.current?.querySelector('[data-alert][aria-current]')?.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }, [fingerprint, list, isListLoaded])
}
