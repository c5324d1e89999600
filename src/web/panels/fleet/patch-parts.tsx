import type { ReactNode } from 'react'
import type { ModificationItem } from '../../../contract/fleet-modifications.ts'
import type { PatchFindingItem } from '../../../contract/fleet-patches.ts'
import type { PatchClass } from '../../../model/patch-analysis.ts'
import { countOf } from '../../lib/format-number.ts'
import { operationText, PATCH_CLASS_WORDS } from '../../lib/patch-text.ts'
import { linkTarget } from '../../lib/safe-href.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ToneMark } from '../../ui/tone-mark.tsx'
import styles from './patch-parts.module.css'

/** Parts that the list of patches, the page of one and the history share. */

const OPERATIONS_SHOWN = 3

/** The operations of a patch, each on its line; the text where they are not known. */
export function PatchOperations({
  patch: { operations, text },
  most = OPERATIONS_SHOWN,
}: {
  readonly patch: Pick<ModificationItem, 'operations' | 'text'>
  readonly most?: number
}): ReactNode {
  if (operations === null) return <div className="quiet">{text}</div>
  const rest = operations.length - most
  return (
    <ol className={`plain-list ${styles.operations}`}>
      {operations.slice(0, most).map((operation, i) => (
        <li key={i} title={JSON.stringify(operation)}>
          <code>{operationText(operation, 60)}</code>
        </li>
      ))}
      {rest > 0 ? <li className="quiet">and {countOf(rest, 'more operation')}</li> : null}
    </ol>
  )
}

/** The classes of a patch, the worst first. */
export function PatchClasses({ classes }: { readonly classes: readonly PatchClass[] }): ReactNode {
  if (classes.length === 0) return <span className="quiet">no finding</span>
  return classes.map((one) => (
    <span key={one} className="inline-item" title={PATCH_CLASS_WORDS[one].meaning}>
      <ToneMark mark={PATCH_CLASS_WORDS[one].mark} />
    </span>
  ))
}

/** What was found, the worst first, with the text to set in HyperConverged. */
export function PatchFindings({ findings }: { readonly findings: readonly PatchFindingItem[] }): ReactNode {
  if (findings.length === 0) {
    return (
      <p className="quiet">
        Nothing was found: the fields exist in both versions, and HyperConverged has none for them. Test the patch in
        the target version.
      </p>
    )
  }
  return (
    <ul className={`entries pairs ${styles.findings}`}>
      {findings.map((finding, i) => (
        <li key={i}>
          <span title={PATCH_CLASS_WORDS[finding.class].meaning}>
            <ToneMark mark={PATCH_CLASS_WORDS[finding.class].mark} />
          </span>
          <span>
            {finding.text} <FindingSource source={finding.source} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function FindingSource({ source }: { readonly source: string | null }): ReactNode {
  const target = source === null ? undefined : linkTarget(source)
  return target?.kind === 'outside' ? (
    <a href={target.url} rel="noreferrer">
      Source
    </a>
  ) : null
}

/** A text to copy, with its name. */
export function CopiedText({ what, text }: { readonly what: string; readonly text: string }): ReactNode {
  return (
    <CodeBlock what={what} text={text} bar={what}>
      {text}
    </CodeBlock>
  )
}
