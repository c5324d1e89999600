/** The given class names as one `className`. Leaves out what is absent or false: `classNames(styles.row, isOpen && styles.open)`. */
export function classNames(...names: readonly (string | false | undefined)[]): string {
  return names.filter((name) => name !== undefined && name !== false && name !== '').join(' ')
}
