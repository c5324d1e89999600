/**
 * The wiring of the thread that runs unit tests of rules on request: a test that covers days takes seconds, which must
 * delay neither other requests nor rules. The thread is started for one request and ended after it.
 */
import { basename, dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../base/invariant.ts'
import { loadRuleTests, ruleTestPaths, runRuleTests } from '../catalog/rule-tests.ts'
import type { RuleTests } from '../contract/replay.ts'
import { renderDiagnostic } from '../model/diagnostic.ts'
import { formatDuration } from '../model/duration.ts'
import type { ParseOptions } from '../promql/parse-options.ts'
import { serve } from './rpc.ts'
import { mentionsAlert } from '../rules/unit-test/unit-test-file.ts'
import type { UnitTestFailure } from '../rules/unit-test/run-unit-test.ts'
import type { ThreadHello } from './start-thread.ts'

export interface RuleTestsData {
  readonly rulesDir: string
  readonly language: ParseOptions
}

/** What main calls. */
export type RuleTestServices = {
  readonly ruleTests: {
    /** Reads the unit tests beside the rules and runs those that mention an alert. */
    run(alertname: string): Promise<RuleTests>
  }
}

async function run({ rulesDir, language }: RuleTestsData, alertname: string): Promise<RuleTests> {
  const tests: RuleTests['tests'][number][] = []
  for (const path of ruleTestPaths(rulesDir)) {
    const loaded = loadRuleTests(path, { language })
    const file = join(basename(rulesDir), basename(dirname(path)), basename(path))
    const text = loaded.texts.get(path) ?? ''
    if (loaded.file === undefined) {
      // The tests of an unreadable file are unknown, so the file is reported when its text mentions the alert.
      if (!text.includes(alertname)) continue
      const failures = loaded.diagnostics.map((one) => renderDiagnostic(loaded.texts.get(one.file ?? '') ?? '', one))
      tests.push({ file, name: '', passed: false, cases: [], failures })
      continue
    }
    for (const { test, failures } of await runRuleTests(loaded, { language }, (one) => mentionsAlert(one, alertname))) {
      const cases = test.alertCases
        .filter((one) => one.alertname === alertname)
        .map(({ evalMs, alerts }) => ({ evalTime: formatDuration(evalMs), alerts: alerts.length }))
      tests.push({ file, name: test.name, passed: failures.length === 0, cases, failures: failures.map(textOf) })
    }
  }
  return { tests }
}

function textOf({ message, difference }: UnitTestFailure): string {
  if (difference === undefined) return message
  const { wanted, got } = difference
  return [message, 'expected:', ...wanted, 'got:', ...got].join('\n')
}

invariant(parentPort !== null, 'unit tests of rules run in a thread')
const data = workerData as RuleTestsData
serve(parentPort, { ruleTests: { run: (alertname) => run(data, alertname) } } satisfies RuleTestServices)
parentPort.postMessage({ ready: true } satisfies ThreadHello)
