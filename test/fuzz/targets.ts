import type { Target } from './target.ts'
import { ALERTMANAGER } from './targets/alertmanager.ts'
import { BUNDLES } from './targets/bundles.ts'
import { FARO } from './targets/faro.ts'
import { HTTP } from './targets/http.ts'
import { K8S } from './targets/objects.ts'
import { JSON_PATCHES } from './targets/json-patches.ts'
import { OTLP } from './targets/otlp.ts'
import { PROMQL } from './targets/promql.ts'
import { REGEX } from './targets/regex.ts'
import { REMOTE_WRITE } from './targets/remote-write.ts'
import { RUNBOOK_COMMANDS } from './targets/runbook-commands.ts'
import { SHOWN_PAGES } from './targets/shown-pages.ts'
import { SIGN_IN } from './targets/sign-in.ts'
import { STORED_BYTES } from './targets/stored-bytes.ts'
import { TEMPLATES } from './targets/templates.ts'
import { UPDATE_GRAPHS } from './targets/update-graphs.ts'

/** All targets of `npm run fuzz`. */
export const TARGETS: readonly Target[] = [
  ...[...REMOTE_WRITE, ...OTLP, ...K8S, ...JSON_PATCHES, ...FARO, ...ALERTMANAGER, ...STORED_BYTES, ...UPDATE_GRAPHS],
  ...BUNDLES,
  ...[...PROMQL, ...REGEX, ...TEMPLATES, ...RUNBOOK_COMMANDS, ...SIGN_IN, ...SHOWN_PAGES, ...HTTP],
]
