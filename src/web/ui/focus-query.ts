/** Puts the cursor into the first editor of queries. Its text stands in a shadow root (`promql-editor.tsx`). */
export function focusQuery(): void {
  const host = document.querySelector<HTMLElement>('[data-promql-editor]')
  host?.shadowRoot?.querySelector<HTMLElement>('[contenteditable]')?.focus()
}
