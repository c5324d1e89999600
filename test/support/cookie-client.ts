/** A client that keeps cookies by host and port, as a browser does by host, and follows no redirect by itself. */
export interface CookieClient {
  /** By origin, then by name. */
  readonly jar: Map<string, Map<string, string>>
  request(url: string, init?: RequestInit): Promise<Response>
  /** GETs, then follows redirects until `isThere` holds for the next address, or an answer is none. */
  follow(url: string, isThere?: (next: URL) => boolean): Promise<Followed>
}

export interface Followed {
  readonly response: Response
  readonly url: URL
  /** Where the last redirect leads, when `isThere` stopped there. */
  readonly next?: URL
}

const REDIRECTS_MAX = 20

export function cookieClient(): CookieClient {
  const jar: CookieClient['jar'] = new Map()
  const request: CookieClient['request'] = async (url, init = {}) => {
    const { origin } = new URL(url)
    const cookies = jar.get(origin) ?? new Map<string, string>()
    jar.set(origin, cookies)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = new Headers(init.headers)
    if (cookie !== '' && !headers.has('cookie')) headers.set('cookie', cookie)
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0\b|expires=thu, 01 jan 1970/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    jar,
    request,
    follow: async (start, isThere = () => false) => {
      let url = new URL(start)
      let response = await request(url.href)
      for (let i = 0; i < REDIRECTS_MAX; i++) {
        const location = response.headers.get('location')
        if (location === null) return { response, url }
        const next = new URL(location, url)
        if (isThere(next)) return { response, url, next }
        url = next
        response = await request(url.href)
      }
      throw new Error(`more than ${REDIRECTS_MAX} redirects from ${start}`)
    },
  }
}
