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
  const use = (read: RedactionPolicy): void => {
    policy = read
  }
  return { current: () => policy, reloadable: policyFile('redaction policy', path, readRedactionPolicy, use) }
}

export function privacyRules(path: string, threads: AppThreads): Reloadable {
  return policyFile('privacy rules', path, readPrivacyRules, (rules) => threads.ingest.privacy.use(rules))
}

export function verdictPolicy(path: string, threads: AppThreads): Reloadable {
  return policyFile('policy of verdicts', path, readVerdictPolicy, (policy) => threads.query.rollouts.usePolicy(policy))
}

/** @param path empty: there is no file */
function policyFile<T>(
  name: string,
  path: string,
  readFile: (path: string) => T,
  use: (policy: T) => void | Promise<void>,
): Reloadable {
  const read = (): (() => void | Promise<void>) => {
    const policy = readFile(path)
    return () => use(policy)
  }
  return { name, places: path === '' ? [] : [path], read }
}
