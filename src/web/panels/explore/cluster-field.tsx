import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { useClusterNames } from '../../query/use-logs.ts'

interface ClusterFieldProps {
  /** Empty: any. */
  readonly value: string
  readonly onChange: (cluster: string) => void
}

/** The name of a cluster, completed from those that are known. It counts when it is one of them, or by Enter. */
export function ClusterField({ value, onChange }: ClusterFieldProps): ReactNode {
  const [typed, setTyped] = useState(value)
  const names = useClusterNames(typed).data ?? []
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
          if (text === '' || names.includes(text)) onChange(text)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange(typed.trim())
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
