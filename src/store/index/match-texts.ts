import type { Matcher } from '../../model/matcher.ts'

/** Characters with a meaning in a pattern; without any it is a list of texts. */
const SPECIAL = /[\\.+*?()[\]{}^$]/

/** The alternatives of a pattern such as `a|b|c`, the usual multi-select of a dashboard; otherwise undefined. */
export function textsOf({ op, value }: Matcher): readonly string[] | undefined {
  if (op === '=' || op === '!=') return [value]
  return SPECIAL.test(value) ? undefined : value.split('|')
}
