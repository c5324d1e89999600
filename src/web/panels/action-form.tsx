import type { ReactNode } from 'react'
import { asSentence } from '../lib/failure-text.ts'
import type { ApiCall } from '../lib/curl.ts'
import { nowPath, signInPath } from '../lib/paths.ts'
import type { ApiFailure } from '../query/fetch-json.ts'
import { useSettings } from '../query/use-fleet.ts'
import { Button } from '../ui/button.tsx'
import { submitTo } from '../ui/form-events.ts'
import { Notice } from '../ui/notice.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import { ApiCallNote } from './api-call-note.tsx'

interface ActionFormProps {
  /** The action as part of a sentence: `acknowledge it`. */
  readonly what: string
  readonly submitText: string
  readonly action: { readonly error: ApiFailure | null; readonly isPending: boolean }
  /** Why the form cannot be sent. */
  readonly fault?: string | undefined
  readonly call: ApiCall
  readonly onSend: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The form of an action in a dialog: its fields, the name of the user, the failure, the buttons and the API call. */
export function ActionForm(props: ActionFormProps): ReactNode {
  const { what, submitText, action, fault, call, onSend, onClose, children } = props
  return (
    <form
      className="form"
      onSubmit={submitTo(() => {
        if (fault === undefined) onSend()
      })}
    >
      {children}
      <NameField />
      {action.error === null ? null : <ActionFailure what={what} failure={action.error} />}
      <div className="row form-actions">
        <Button type="submit" variant="primary" isDisabled={fault !== undefined || action.isPending}>
          {action.isPending ? 'Sending…' : submitText}
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
        {fault === undefined ? null : <span className="quiet">{fault}</span>}
      </div>
      <ApiCallNote call={call} />
    </form>
  )
}

/** The name of the user, for servers that do not know it: without tokens and sign-in. */
function NameField(): ReactNode {
  const { name } = usePreferences()
  if (useSettings().data?.signedIn !== undefined) return null
  return (
    <label className="field">
      <span>Your name</span>
      <input
        type="text"
        value={name}
        autoComplete="name"
        onChange={(event) => {
          setPreference('name', event.target.value)
        }}
      />
    </label>
  )
}

/** Why an action failed; a missing role is reported as such. */
export function ActionFailure({ what, failure }: { readonly what: string; readonly failure: ApiFailure }): ReactNode {
  return (
    <Notice
      kind="error"
      title={failure.isRefusal ? `Not permitted: ${what}` : `Could not ${what}`}
      {...(failure.isRefusal ? { actions: <AnotherSignIn /> } : {})}
    >
      {asSentence(failure.message)} {failure.hint}
    </Notice>
  )
}

/** Opens another tab, so that the form keeps its input: all tabs of a browser share a session, and a token. */
function AnotherSignIn(): ReactNode {
  return (
    <a href={signInPath('responder', nowPath())} target="_blank" rel="noreferrer">
      Sign in with the role responder, then retry here
    </a>
  )
}
