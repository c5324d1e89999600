import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Classes of PatternFly's components that only some properties of theirs set. The components' scripts name all of them, so
 * the names alone do not tell which are used; the sources of the pages do.
 */
const CLASSES_OF_PROPS: readonly { readonly props: RegExp; readonly classes: readonly string[] }[] = [
  { props: /\bisHamburger\b/, classes: ['pf-m-hamburger', 'pf-m-expand', 'pf-m-collapse'] },
  { props: /\bisFavorit/, classes: ['pf-m-favorite', 'pf-m-favorited'] },
  { props: /\bisSettings\b/, classes: ['pf-m-settings'] },
  { props: /\bisCircle\b/, classes: ['pf-m-circle'] },
  { props: /\bisBlock\b/, classes: ['pf-m-block'] },
  { props: /\bisDocked\b|\bisTextExpanded\b/, classes: ['pf-m-docked', 'pf-m-text-expanded'] },
  { props: /\bhasNotif|\bshouldNotify\b/, classes: ['pf-m-notify'] },
  { props: /\bstateful\b/, classes: ['pf-m-stateful', 'pf-m-read', 'pf-m-unread', 'pf-m-attention'] },
  { props: /\bsize="lg"/, classes: ['pf-m-display-lg'] },
  { props: /\bisLoading=|<Spinner\b/, classes: ['pf-m-progress', 'pf-m-in-progress', 'pf-v6-c-spinner'] },
  { props: /\bcountOptions\b|\bresultsCount\b|<Badge\b/, classes: ['pf-v6-c-badge', 'pf-v6-c-button__count'] },
  { props: /\bexpandableInput\b/, classes: ['pf-m-search-expandable'] },
  { props: /\battributes=|<Form\b|<ActionGroup\b/, classes: ['pf-v6-c-form'] },
  { props: /\battributes=|<Panel[A-Z]/, classes: ['pf-v6-c-panel'] },
  { props: /<LabelGroup\b/, classes: ['pf-v6-c-label-group'] },
  { props: /\bisEditable\b/, classes: ['pf-m-editable', 'pf-m-editable-active'] },
  { props: /\bvariant="overflow"/, classes: ['pf-m-overflow'] },
  { props: /\bvariant="add"/, classes: ['pf-m-add'] },
  {
    props: /<Label\b[^>]*\bcolor=/,
    classes: ['blue', 'teal', 'green', 'orange', 'purple', 'red', 'orangered', 'yellow'].map((name) => `pf-m-${name}`),
  },
]

/** @param folder of the pages' sources */
export function unsetClasses(folder: string): readonly string[] {
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx'))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
  return CLASSES_OF_PROPS.filter(({ props }) => !sources.some((source) => props.test(source))).flatMap(
    ({ classes }) => classes,
  )
}
