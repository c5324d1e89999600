import { useState, type ComponentProps, type ReactNode } from 'react'
import { Button } from './button.tsx'

interface DialogButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  readonly renderDialog: (close: () => void) => ReactNode
}

/** A button that opens a dialog. */
export function DialogButton({ renderDialog, ...button }: DialogButtonProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const close = (): void => {
    setIsOpen(false)
  }
  return (
    <>
      <Button
        {...button}
        onClick={() => {
          setIsOpen(true)
        }}
      />
      {isOpen ? renderDialog(close) : null}
    </>
  )
}
