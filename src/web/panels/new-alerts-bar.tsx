import type { ReactNode } from 'react'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import { countOf, formatCount } from '../lib/format-number.ts'
import type { SteadyList } from '../lib/steady-list.ts'

/** What has come since the list was read. The list itself does not move until somebody asks. */
export function NewAlertsBar({ list, onShow }: { readonly list: SteadyList; readonly onShow: () => void }): ReactNode {
  const { newCount, newCriticalCount, goneCount } = list
  const parts = [
    ...(newCount === 0 ? [] : [countOf(newCount, 'new alert')]),
    ...(newCriticalCount === 0 ? [] : [`${formatCount(newCriticalCount)} critical`]),
    ...(goneCount === 0 ? [] : [`${formatCount(goneCount)} gone`]),
  ]
  return (
    <div className="new-bar" role="status" aria-label="New alerts">
      {parts.length === 0 ? null : (
        <Button variant="secondary" size="sm" onClick={onShow}>
          {parts.join(', ')}: show <kbd aria-hidden="true">u</kbd>
        </Button>
      )}
    </div>
  )
}
