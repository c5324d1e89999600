import { Type } from 'typebox'
import { REDACTION_NAMES } from '../model/redaction.ts'
import { wordOf } from './common.ts'
import { RolloutQuery } from './fleet-rollouts.ts'

/** Evidence bundles: zip archives, whose form is in docs/bundles.md. */

const RedactParam = Type.Optional(wordOf(REDACTION_NAMES, 'Profile of the redaction; default: `default`.'))

export const UpgradeBundleQuery = Type.Object({ redact: RedactParam })

export const AlertBundleQuery = Type.Object({
  redact: RedactParam,
  activeAtMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The occurrence of the alert, by its start in milliseconds; default: the present or last one.',
    }),
  ),
})

export const RolloutBundleQuery = Type.Object({ redact: RedactParam, ...Type.Omit(RolloutQuery, ['at']).properties })

export const BundleArchive = Type.String({ format: 'binary', description: 'A zip archive with a page, `index.html`.' })
