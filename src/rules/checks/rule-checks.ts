/** The checks that need no page: rules, their tests, and PromQL in any file. In the order of the README. */
import { alertDuplicate } from './alert-duplicate.ts'
import { alertUnknown } from './alert-unknown.ts'
import { annotationMissing } from './annotation-missing.ts'
import type { Check } from './check.ts'
import { clusterDropped, clusterNotYielded } from './cluster-dropped.ts'
import { counterWithoutRate } from './counter-without-rate.ts'
import { labelMissing } from './label-missing.ts'
import { labelUnknown } from './label-unknown.ts'
import { metricRetired } from './metric-retired.ts'
import { metricUnknown } from './metric-unknown.ts'
import { promqlDoubtful } from './promql-doubtful.ts'
import { promqlInvalid } from './promql-invalid.ts'
import { rateOfGauge } from './rate-of-gauge.ts'
import { recordingRuleName } from './recording-rule-name.ts'
import type { RuleContent } from './rule-content.ts'
import { ruleFileInvalid } from './rule-file-invalid.ts'
import { runbookUrl } from './runbook-url.ts'
import { templateLabelUnknown } from './template-label-unknown.ts'
import { textDuration, textThreshold } from './text-contradicts.ts'
import { testMissing, testNeverFires, testNeverQuiet, testOfNothing } from './unit-tests.ts'

export const RULE_CHECKS: readonly Check<RuleContent>[] = [
  ruleFileInvalid,
  alertDuplicate,
  labelMissing,
  annotationMissing,
  runbookUrl,
  templateLabelUnknown,
  textDuration,
  textThreshold,
  clusterDropped,
  clusterNotYielded,
  recordingRuleName,
  testMissing,
  testNeverFires,
  testNeverQuiet,
  testOfNothing,
  promqlInvalid,
  promqlDoubtful,
  metricUnknown,
  metricRetired,
  labelUnknown,
  counterWithoutRate,
  rateOfGauge,
  alertUnknown,
]
