import type { ReactNode } from 'react'
import { Label } from '@patternfly/react-core/dist/esm/components/Label'

interface FilterChipProps {
  readonly name: string
  readonly value: string
  readonly onRemove: () => void
}

/** One thing a list is narrowed to, which anybody can take away. */
export function FilterChip({ name, value, onRemove }: FilterChipProps): ReactNode {
  return (
    <Label variant="outline" closeBtnAriaLabel={`Remove filter ${name}: ${value}`} onClose={onRemove}>
      {name}: {value}
    </Label>
  )
}
