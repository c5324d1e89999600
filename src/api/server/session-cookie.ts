/**
 * The cookies of people: one with the secret of the session, one with the state of a sign-in that is under way. No script
 * reads them, no page of another site sends them with a change, and over https no other host sets them (`__Host-`).
 */
import type { IncomingMessage } from 'node:http'

export interface Cookies {
  /** The value that a request has. Of two cookies of one name: none, because one of them may be an attacker's. */
  read(request: IncomingMessage, cookie: CookieName): string | undefined
  /** The header that sets it. @param maxAgeSeconds how long the browser has it; absent: until it is closed */
  set(cookie: CookieName, value: string, maxAgeSeconds?: number): string
  /** The header that removes it. */
  clear(cookie: CookieName): string
}

/** How long a sign-in may take at the provider: the life of its cookie. */
export const SIGN_IN_SECONDS_MAX = 600

export type CookieName = 'session' | 'sign-in'

/** @param isSecure people reach the server over https */
export function createCookies(isSecure: boolean): Cookies {
  const nameOf = (cookie: CookieName): string => `${isSecure ? '__Host-' : ''}daytwo-${cookie}`
  const set: Cookies['set'] = (cookie, value, maxAgeSeconds) =>
    [
      `${nameOf(cookie)}=${value}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
      ...(isSecure ? ['Secure'] : []),
      ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
    ].join('; ')
  return {
    read: ({ headers }, cookie) => {
      if (headers.cookie === undefined) return undefined
      const start = `${nameOf(cookie)}=`
      const parts = headers.cookie.split(';').map((part) => part.trim())
      const [value, ...others] = parts.filter((part) => part.startsWith(start)).map((part) => part.slice(start.length))
      return others.length === 0 && value !== '' ? value : undefined
    },
    set,
    clear: (cookie) => set(cookie, '', 0),
  }
}
