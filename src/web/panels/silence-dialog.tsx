import type { ReactNode } from 'react'
import { countOf } from '../lib/format-number.ts'
import type { SilenceDraft } from '../lib/silence-draft.ts'
import { Dialog } from '../ui/dialog.tsx'
import { SilenceForm } from './silence-form.tsx'

interface SilenceDialogProps {
  readonly initial: SilenceDraft
  /** Fingerprints of the selected alerts. */
  readonly wanted?: readonly string[]
  readonly onClose: () => void
  readonly onDone?: () => void
}

export function SilenceDialog({ initial, wanted, onClose, onDone }: SilenceDialogProps): ReactNode {
  const title =
    initial.id !== undefined
      ? 'Edit the silence'
      : wanted === undefined
        ? 'New silence'
        : `Silence ${countOf(wanted.length, 'alert')}`
  return (
    <Dialog title={title} onClose={onClose}>
      <SilenceForm initial={initial} onClose={onClose} onDone={onDone} {...(wanted === undefined ? {} : { wanted })} />
    </Dialog>
  )
}
