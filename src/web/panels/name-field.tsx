import type { ReactNode } from 'react'
import { setPreference, usePreferences } from '../ui/preferences.ts'

/** Who does it. A token has a name of its own, which cannot be chosen; this is for servers that ask for none. */
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
