/**
 * Where a link of a runbook may lead. Pages are text from files and carry label values, so an address is trusted only
 * when its scheme is one of these; anything else is shown as text.
 */
export type LinkTarget =
  | { readonly kind: 'inside'; readonly path: string }
  | { readonly kind: 'section'; readonly id: string }
  | { readonly kind: 'outside'; readonly url: string }

export function linkTarget(href: string): LinkTarget | undefined {
  const text = href.trim()
  if (/^#[\w-]+$/.test(text)) return { kind: 'section', id: text.slice(1) }
  // A neighbour in the runbooks folder: `./OtherAlert.md`.
  const neighbour = /^(?:\.\/)?([A-Za-z][\w-]*)\.md$/.exec(text)
  if (neighbour !== null) return { kind: 'inside', path: `/rb/${neighbour[1]!}` }
  // One slash, not two: `//host` is another server. A backslash is a slash to browsers.
  if (/^\/(?![/\\])[^\\]*$/.test(text)) return { kind: 'inside', path: text }
  if (!/^(https?|mailto):/i.test(text)) return undefined
  try {
    return { kind: 'outside', url: new URL(text).href }
  } catch {
    return undefined
  }
}
