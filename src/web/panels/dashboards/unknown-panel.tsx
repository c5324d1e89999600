import type { ReactNode } from 'react'
import { CHART_KINDS, type PanelQuery, type UnknownPart } from '../../../model/dashboard.ts'
import styles from './unknown-panel.module.css'

interface UnknownPanelProps {
  readonly part: UnknownPart
  readonly queries: readonly PanelQuery[]
}

/** In the place of a panel whose kind nobody here draws: which it is, and what the file says. */
export function UnknownPanel({ part, queries }: UnknownPanelProps): ReactNode {
  const asked = queries.map((query) => (query.kind === 'prometheus' ? query.expr : `${query.name}\n${query.spec}`))
  return (
    <div
      className={`fills scrolls text-small ${styles.root}`}
      tabIndex={0}
      role="group"
      aria-label={`Panel of the kind ${part.name}`}
    >
      <p>
        <strong>
          {part.name === '' ? 'This panel has no kind.' : `Panels of the kind ${part.name} are not drawn here.`}
        </strong>
      </p>
      <p className="quiet">Drawn are {CHART_KINDS.join(', ')}. The file says:</p>
      <pre>{[part.spec, ...asked].filter((text) => text !== '').join('\n\n') || 'nothing more'}</pre>
    </div>
  )
}
