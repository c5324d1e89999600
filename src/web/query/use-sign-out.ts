import type { SignedOut } from '../../contract/ui.ts'
import { sendJson } from './fetch-json.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'

/** Ends the session, then leaves for the page of the identity provider, or for the sign-in page. */
export function useSignOut(): ApiAction<void> {
  return useApiAction(async () => {
    const { to } = (await sendJson('POST', '/api/ui/v1/sign-out')) as SignedOut
    location.assign(to)
  })
}
