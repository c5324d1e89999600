import { testTargets } from './suite.ts'
import { HTTP } from './targets/http.ts'
import { SHOWN_PAGES } from './targets/shown-pages.ts'

testTargets([...HTTP, ...SHOWN_PAGES])
