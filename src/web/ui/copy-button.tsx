import { useEffect, useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

type Outcome = 'idle' | 'copied' | 'failed'

const WORDS: Readonly<Record<Outcome, string>> = { idle: 'Copy', copied: 'Copied', failed: 'Select and copy' }

/** How long the button says what happened. */
const SHOWN_MS = 2000

/** Copies `text`. `label` says what, for those who hear the button. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [outcome, setOutcome] = useState<Outcome>('idle')
  useEffect(() => {
    if (outcome === 'idle') return
    const timer = setTimeout(() => {
      setOutcome('idle')
    }, SHOWN_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [outcome])
  const copy = (): void => {
    void copyToClipboard(text).then((isCopied) => {
      setOutcome(isCopied ? 'copied' : 'failed')
    })
  }
  return (
    <Button
      variant="plain"
      size="sm"
      className="copy-button"
      onClick={copy}
      // What the button shows is a part of what it is called, so that it can be said.
      aria-label={outcome === 'idle' ? label : `${WORDS[outcome]}: ${label}`}
      icon={outcome === 'copied' ? <Icon name="check" /> : <Icon name="copy" />}
    >
      <span aria-live="polite">{WORDS[outcome]}</span>
    </Button>
  )
}

/** The clipboard exists only on https and localhost; elsewhere the old way, which works from a click. */
export async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.style.position = 'fixed'
    document.body.append(area)
    area.select()
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- plain http has no other way to the clipboard
    const isCopied = document.execCommand('copy')
    area.remove()
    return isCopied
  }
}
