import type { ReactNode } from 'react'
import type { MatcherItem } from '../../contract/silences.ts'
import styles from './matcher-fields.module.css'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

const OPS: readonly { readonly op: MatcherItem['op']; readonly says: string }[] = [
  { op: '=', says: 'is' },
  { op: '!=', says: 'is not' },
  { op: '=~', says: 'matches' },
  { op: '!~', says: 'does not match' },
]

interface MatcherFieldsProps {
  readonly matchers: readonly MatcherItem[]
  readonly onChange: (matchers: readonly MatcherItem[]) => void
}

/** The matchers of a silence, one per line. All of them must match. */
export function MatcherFields({ matchers, onChange }: MatcherFieldsProps): ReactNode {
  const change = (at: number, part: Partial<MatcherItem>): void => {
    onChange(matchers.map((matcher, i) => (i === at ? { ...matcher, ...part } : matcher)))
  }
  return (
    <fieldset className={`entries ${styles.root}`}>
      <legend>Silence alerts that match all of these matchers</legend>
      {matchers.map(({ name, op, value }, i) => (
        <div key={i} className={styles.matcher}>
          <input
            type="text"
            aria-label={`Label ${i + 1}`}
            value={name}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => {
              change(i, { name: event.target.value.trim() })
            }}
          />
          <select
            aria-label={`Comparison ${i + 1}`}
            value={op}
            onChange={(event) => {
              change(i, { op: event.target.value as MatcherItem['op'] })
            }}
          >
            {OPS.map((one) => (
              <option key={one.op} value={one.op}>
                {one.op} {one.says}
              </option>
            ))}
          </select>
          <input
            type="text"
            aria-label={`Value ${i + 1}`}
            value={value}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => {
              change(i, { value: event.target.value })
            }}
          />
          <Button
            variant="plain"
            aria-label={`Remove matcher ${name}`}
            icon={<Icon name="cross" />}
            onClick={() => {
              onChange(matchers.filter((_matcher, other) => other !== i))
            }}
          />
        </div>
      ))}
      <Button
        variant="inline"
        onClick={() => {
          onChange([...matchers, { name: '', op: '=', value: '' }])
        }}
      >
        Add a matcher
      </Button>
    </fieldset>
  )
}
