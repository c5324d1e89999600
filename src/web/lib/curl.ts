/** An API call as a command, to learn the API from the page. Pure. */
export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
}

/** Quoted for a POSIX shell. The token is a variable: a page has none to show. */
export function curlOf(origin: string, { method = 'GET', path, body }: ApiCall): string {
  const parts = ['curl -sS', '-H "Authorization: Bearer $DAYTWO_TOKEN"']
  if (method !== 'GET') parts.push(`-X ${method}`)
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body))}`)
  parts.push(shellQuote(`${origin}${path}`))
  return parts.join(' ')
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
