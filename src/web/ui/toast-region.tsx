import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Shape } from './shapes.tsx'
import { dismissToast, useToasts } from './toasts.ts'

/** Where the page says what was done. Always there, so that what appears in it is read aloud. */
export function ToastRegion(): ReactNode {
  const toasts = useToasts()
  return (
    <div className="toasts screen-only" role="status" aria-label="Notifications">
      {toasts.map(({ id, text, isFailure, undo }) => (
        <div key={id} className="row row-nowrap raised toast">
          <Shape name={isFailure ? 'cross' : 'check'} className={isFailure ? 'tone-critical' : 'tone-good'} />
          <span>{text}</span>
          {undo === undefined ? null : (
            <Button
              size="sm"
              onClick={() => {
                dismissToast(id)
                undo()
              }}
            >
              Undo
            </Button>
          )}
          <Button
            variant="plain"
            size="sm"
            aria-label="Dismiss"
            icon={<Icon name="cross" />}
            onClick={() => {
              dismissToast(id)
            }}
          />
        </div>
      ))}
    </div>
  )
}
