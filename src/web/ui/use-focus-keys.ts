import { useKeys } from './use-keys.ts'

/** `j` and `k` move the focus to the next and the one before of the links that a selector finds; Enter is then the browser's. */
export function useFocusKeys(selector: string): void {
  const move = (by: 1 | -1): void => {
    const links = [...document.querySelectorAll<HTMLElement>(selector)]
    const at = links.findIndex((link) => link === document.activeElement)
    const next = links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]
    next?.focus()
    next?.scrollIntoView({ block: 'nearest' })
  }
  useKeys({
    j: () => {
      move(1)
    },
    k: () => {
      move(-1)
    },
  })
}
