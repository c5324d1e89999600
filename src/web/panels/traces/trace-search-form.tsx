import { useState, type ReactNode } from 'react'
import { TRACE_RANGES, type TraceSearch } from '../../lib/trace-search.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { submitTo } from '../../ui/form-events.ts'
import styles from './trace-search-form.module.css'

interface TraceSearchFormProps {
  readonly asked: TraceSearch
  readonly services: readonly string[]
  readonly onAsk: (asked: TraceSearch) => void
}

const FIELDS = [
  { name: 'operation', label: 'Operation', placeholder: 'operation' },
  { name: 'cluster', label: 'Cluster', placeholder: 'cluster' },
  { name: 'tags', label: 'Attributes', placeholder: 'upgrade.to.version=1.18.1' },
  { name: 'min', label: 'At least', placeholder: 'at least 1m30s' },
  { name: 'max', label: 'At most', placeholder: 'at most 2h' },
] as const

/** Typed text is searched for with Enter or the button, a choice immediately. */
export function TraceSearchForm({ asked, services, onAsk }: TraceSearchFormProps): ReactNode {
  const [typed, setTyped] = useState(asked)
  const ask = (next: TraceSearch): void => {
    setTyped(next)
    onAsk(next)
  }
  return (
    <form
      className={`row filters space-above ${styles.root}`}
      role="search"
      aria-label="Search traces"
      onSubmit={submitTo(() => {
        ask(typed)
      })}
    >
      <select
        aria-label="Service"
        value={typed.service}
        onChange={(event) => {
          ask({ ...typed, service: event.target.value })
        }}
      >
        <option value="">Service: any</option>
        {(typed.service === '' || services.includes(typed.service) ? services : [typed.service, ...services]).map(
          (service) => (
            <option key={service}>{service}</option>
          ),
        )}
      </select>
      {FIELDS.map(({ name, label, placeholder }) => (
        <input
          key={name}
          type="text"
          aria-label={label}
          placeholder={placeholder}
          value={typed[name]}
          onChange={(event) => {
            setTyped({ ...typed, [name]: event.target.value })
          }}
        />
      ))}
      <label>
        <input
          type="checkbox"
          checked={typed.onlyErrors}
          onChange={(event) => {
            ask({ ...typed, onlyErrors: event.target.checked })
          }}
        />{' '}
        Errors only
      </label>
      <Choice
        label="Range"
        options={TRACE_RANGES}
        value={typed.range}
        onChange={(range) => {
          ask({ ...typed, range })
        }}
      />
      <Button type="submit" variant="primary" size="sm">
        Search
      </Button>
    </form>
  )
}
