import { searchOf, withSearch, type Search } from './address.ts'
import { FLEET_ROUTES } from './paths.ts'
import { textField, textsField, viewCodec, type ViewOf } from './view-codec.ts'

/** The page, with a query string. */
export function readinessPath(search: Search): string {
  return withSearch(FLEET_ROUTES.readiness, searchOf(search))
}

/** The state of the readiness page in its address. Pure. */
export const READINESS_VIEW = viewCodec({
  /** The version to upgrade to; empty: the newest in use. */
  to: textField('to'),
  text: textField('text'),
  versions: textsField('version'),
  region: textField('region'),
  /** The hazard whose clusters are listed. */
  hazard: textField('hazard'),
})
export type ReadinessView = ViewOf<typeof READINESS_VIEW>

/** As the API takes it, without the chosen hazard. */
export function questionOfReadiness({ to, text, versions, region }: ReadinessView) {
  return { to, text, version: versions, region }
}

/** The selection as a request takes it. */
export function selectorOf({ text, versions, region }: ReadinessView) {
  return {
    ...(text === '' ? {} : { text }),
    ...(versions.length === 0 ? {} : { version: [...versions] }),
    ...(region === '' ? {} : { region }),
  }
}
