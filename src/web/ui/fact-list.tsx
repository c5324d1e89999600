import type { ReactNode } from 'react'

export interface Fact {
  readonly name: string
  readonly value: ReactNode
}

interface FactListProps {
  /** One that is not known is left out. */
  readonly facts: readonly (Fact | undefined)[]
  /** Value below the name: for names too long to stand beside one. */
  readonly isStacked?: boolean
  /** Names of several words, that stand on one line where there is room. */
  readonly isWide?: boolean
}

/** Names and values, one pair per line. */
export function FactList({ facts, isStacked = false, isWide = false }: FactListProps): ReactNode {
  return (
    <dl className={`fact-list ${isStacked ? 'fact-list-stacked' : ''} ${isWide ? 'fact-list-wide' : ''}`}>
      {facts.map((fact) =>
        fact === undefined ? null : (
          <div key={fact.name}>
            <dt>{fact.name}</dt>
            <dd>{fact.value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
