import type { ReactNode } from 'react'
import type { UiSettings } from '../../contract/ui.ts'
import { useSignOut } from '../query/use-sign-out.ts'
import { Button } from '../ui/button.tsx'
import { ActionFailure } from './action-form.tsx'

/** Who is signed in, with which role, and the way out. A token ends with the browser, a proxy's session at the proxy. */
export function Account({ signedIn }: { readonly signedIn: NonNullable<UiSettings['signedIn']> }): ReactNode {
  const signOut = useSignOut()
  const { name, role, via } = signedIn
  return (
    <div className="row">
      <span>
        {via === 'token' ? `Token ${name}` : name} <span className="quiet">({role})</span>
      </span>
      {via === 'session' ? (
        <Button
          size="sm"
          isDisabled={signOut.isPending}
          onClick={() => {
            signOut.mutate()
          }}
        >
          {signOut.isPending ? 'Signing out…' : 'Sign out'}
        </Button>
      ) : null}
      {signOut.error === null ? null : <ActionFailure what="sign out" failure={signOut.error} />}
    </div>
  )
}
