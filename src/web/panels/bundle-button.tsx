import type { ReactNode } from 'react'
import { useBundle } from '../query/use-bundle.ts'
import { Button } from '../ui/button.tsx'
import { asSentence } from '../lib/failure-text.ts'

/** Downloads the evidence bundle of a call, with the default redaction. */
export function BundleButton({ call }: { readonly call: string }): ReactNode {
  const { mutate, isPending, error } = useBundle()
  return (
    <>
      <Button
        title="One archive that opens without a server: record, objects, samples, trace, log records and runbook. Secrets, IP addresses and e-mail addresses are replaced."
        isAriaDisabled={isPending}
        onClick={() => {
          mutate(call)
        }}
      >
        <span aria-live="polite">{isPending ? 'Making the bundle…' : 'Evidence bundle'}</span>
      </Button>
      {error === null ? null : (
        <span role="alert" className="quiet outcome-note">
          {asSentence(`No bundle: ${error.message}`)}
          {error.hint === undefined ? '' : ` ${asSentence(error.hint)}`}
        </span>
      )}
    </>
  )
}
