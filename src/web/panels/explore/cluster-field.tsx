import { useId, useState, type ReactNode } from 'react'
import { useClusterNames } from '../../query/use-logs.ts'

interface ClusterFieldProps {
  /** Empty: any. */
  readonly value: string
  readonly onChange: (cluster: string) => void
  /** What is written, which may be a part of a name. */
  readonly onTyped?: (text: string) => void
}

/** The name of a cluster, completed from those that are known. It counts when it is one of them, or by Enter. */
export function ClusterField({ value, onChange, onTyped }: ClusterFieldProps): ReactNode {
  const [typed, setTyped] = useState(value)
  const { data, isPlaceholderData } = useClusterNames(typed)
  const names = data?.names ?? []
  const only = !isPlaceholderData && typed.trim() !== '' && names.length === 1 ? names[0] : undefined
  const id = useId()
  return (
    <>
      <input
        type="search"
        className="filters-search"
        aria-label="Cluster"
        placeholder="Cluster"
        list={id}
        value={typed}
        onChange={(event) => {
          const text = event.target.value
          setTyped(text)
          onTyped?.(text)
          if (text === '' || names.includes(text)) onChange(text)
        }}
        onKeyDown={(event) => {
          // A part that only one has is as good as its name.
          if (event.key === 'Enter') onChange(only ?? typed.trim())
        }}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}
