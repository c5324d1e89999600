import type { OwnError } from '../../contract/ui.ts'
import { ApiFailure, hintOf } from './fetch-json.ts'

/** Files of the server. Apart from fetch-json.ts, which the first screen loads. */

/** With this header the server does not trigger the browser's password prompt. */
const OWN_PAGE = { 'x-requested-with': 'daytwo' }

/** A file, with the name that the server gives it. Throws `ApiFailure`. */
export async function fetchFile(path: string, timeoutMs: number): Promise<File> {
  const failed = (): never => {
    throw new ApiFailure(0, 'The server cannot be reached, or did not respond in time.', { hint: 'Try again.' })
  }
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(path, { headers: OWN_PAGE, credentials: 'same-origin', signal }).catch(failed)
  if (!response.ok) throw await failureOf(response)
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  const blob = await response.blob().catch(failed)
  return new File([blob], name ?? 'download', { type: blob.type })
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const body = (await response.json().catch(() => ({}))) as Partial<OwnError>
  const message = body.error ?? `The server responded with ${response.status} ${response.statusText}.`
  const { hint = hintOf(response.status) } = body
  return new ApiFailure(response.status, message, hint === undefined ? {} : { hint })
}
