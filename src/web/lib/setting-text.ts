import type { SettingItem } from '../../contract/fleet-clusters.ts'

/** A setting's value in words. Pure. */
export function settingText(value: SettingItem['set']): string {
  if (value === null) return 'not set'
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.join(', ')
  return String(value)
}

/** With the note that it is the default. */
export function valueText({
  value,
  isDefault,
}: {
  readonly value: SettingItem['set']
  readonly isDefault: boolean
}): string {
  return isDefault && value !== null ? `${settingText(value)} (default)` : settingText(value)
}
