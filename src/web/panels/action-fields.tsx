import type { ReactNode } from 'react'
import { valueTo } from '../ui/form-events.ts'
import { usePreferences } from '../ui/preferences.ts'

interface FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Why an action is taken: it is in the audit log. The first field of its form. */
export function ReasonField({ value, onChange }: FieldProps): ReactNode {
  return (
    <label className="field">
      <span>Reason</span>
      <input
        type="text"
        required
        data-first
        value={value}
        maxLength={2000}
        placeholder="Ticket, decision or background"
        onChange={valueTo(onChange)}
      />
    </label>
  )
}

interface TimeFieldProps extends FieldProps {
  readonly label: string
  /** What an empty field means; absent: it must not be empty. */
  readonly whenEmpty?: string
}

/** A day and a time in the zone of the reader. */
export function TimeField({ label, whenEmpty, value, onChange }: TimeFieldProps): ReactNode {
  const { zone } = usePreferences()
  return (
    <label className="field">
      <span>
        {label}
        {zone === 'utc' ? ', in UTC' : ''}
        {whenEmpty === undefined ? null : <span className="quiet"> (empty: {whenEmpty})</span>}
      </span>
      <input type="datetime-local" required={whenEmpty === undefined} value={value} onChange={valueTo(onChange)} />
    </label>
  )
}
