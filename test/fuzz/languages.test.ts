import { testTargets } from './suite.ts'
import { PROMQL } from './targets/promql.ts'
import { REGEX } from './targets/regex.ts'
import { RUNBOOK_COMMANDS } from './targets/runbook-commands.ts'
import { SIGN_IN } from './targets/sign-in.ts'
import { TEMPLATES } from './targets/templates.ts'

testTargets([...PROMQL, ...REGEX, ...TEMPLATES, ...RUNBOOK_COMMANDS, ...SIGN_IN])
