import type { ReactNode } from 'react'

interface UpgradeToggleProps {
  readonly isShown: boolean
  readonly onChange: (isShown: boolean) => void
}

/** Whether graphs of a few clusters say when these upgraded. */
export function UpgradeToggle({ isShown, onChange }: UpgradeToggleProps): ReactNode {
  return (
    <label className="row text-small">
      <input
        type="checkbox"
        checked={isShown}
        onChange={({ target: { checked } }) => {
          onChange(checked)
        }}
      />{' '}
      Mark upgrades
    </label>
  )
}
