/** Addresses of the sign-in, and where it may lead. */

/** A path of this server, whatever was requested. */
export function redirectTarget(text: string): string {
  const here = 'http://here.invalid'
  if (!text.startsWith('/') || text.length > PATH_CHARS_MAX || !URL.canParse(text, here)) return '/'
  const { origin, pathname, search } = new URL(text, here)
  // A browser takes a path with two slashes for another host.
  return origin === here && !pathname.startsWith('//') && !pathname.startsWith('/sign-in')
    ? `${pathname}${search}`
    : '/'
}

/** The path travels in a cookie, of which browsers keep 4 KiB. */
const PATH_CHARS_MAX = 2000

/** Where a sign-in at the identity provider begins. @param to where it leads */
export function signInAddress(to: string): string {
  return `/sign-in/start?to=${encodeURIComponent(to)}`
}
