import type { ReactNode } from 'react'
import { ToggleGroup, ToggleGroupItem } from '@patternfly/react-core/dist/esm/components/ToggleGroup'

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly options: readonly { readonly value: T; readonly text: string }[]
  readonly value: T
  readonly onChange: (value: T) => void
}

/** One of a few, all visible: a row of buttons of which one is pressed. */
export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>): ReactNode {
  return (
    <ToggleGroup aria-label={label} isCompact>
      {options.map((option) => (
        <ToggleGroupItem
          key={option.value}
          text={option.text}
          isSelected={option.value === value}
          onChange={() => {
            onChange(option.value)
          }}
        />
      ))}
    </ToggleGroup>
  )
}
