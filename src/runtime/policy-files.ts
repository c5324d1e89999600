/** Files with one policy each, read again by a reload: redaction of bundles, privacy rules, verdicts. */
import { readPrivacyRules } from '../config/privacy-file.ts'
import { readRedactionPolicy } from '../config/redaction-file.ts'
import { readVerdictPolicy } from '../config/verdict-policy.ts'
import type { RedactionPolicy } from '../model/redaction.ts'
import type { AppThreads } from '../threads/app-threads.ts'
import type { Reloadable } from './reload.ts'

/** The policy of evidence bundles; checked here, before the server listens. */
export function redactionPolicy(path: string): {
  readonly current: () => RedactionPolicy
  readonly reloadable: Reloadable
} {
  let policy = readRedactionPolicy(path)
  return {
    current: () => policy,
    reloadable: {
      name: 'redaction policy',
      places: path === '' ? [] : [path],
      read: () => {
        const read = readRedactionPolicy(path)
        return () => {
          policy = read
        }
      },
    },
  }
}

export function privacyRules(path: string, threads: AppThreads): Reloadable {
  return {
    name: 'privacy rules',
    places: path === '' ? [] : [path],
    read: () => {
      const rules = readPrivacyRules(path)
      return () => threads.ingest.privacy.use(rules)
    },
  }
}

export function verdictPolicy(path: string, threads: AppThreads): Reloadable {
  return {
    name: 'policy of verdicts',
    places: path === '' ? [] : [path],
    read: () => {
      const policy = readVerdictPolicy(path)
      return () => threads.query.rollouts.usePolicy(policy)
    },
  }
}
