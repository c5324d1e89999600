import type { ReactNode } from 'react'

export interface Fact {
  readonly name: string
  readonly value: ReactNode
}

interface FactListProps {
  readonly facts: readonly Fact[]
  /** Value below the name: for names too long to stand beside one. */
  readonly isStacked?: boolean
}

/** Names and values, one pair per line. */
export function FactList({ facts, isStacked = false }: FactListProps): ReactNode {
  return (
    <dl className={`fact-list ${isStacked ? 'fact-list-stacked' : ''}`}>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
