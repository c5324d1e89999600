/**
 * Focuses what may have been put on the page a moment ago. The inside of a container that is queried for its size is
 * styled while it is laid out, and `focus()` passes over what has no style yet.
 */
export function focusDrawn(element: HTMLElement | null | undefined, options?: FocusOptions): void {
  element?.getBoundingClientRect()
  element?.focus(options)
}
