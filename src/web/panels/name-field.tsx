import type { ReactNode } from 'react'
import { setPreference, usePreferences } from '../ui/preferences.ts'

/** The name of the user, for servers without tokens. The name of a token takes precedence. */
export function NameField(): ReactNode {
  const { name } = usePreferences()
  return (
    <label className="field">
      <span>
        Your name <span className="quiet">(a token's own name goes before it)</span>
      </span>
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
