/**
 * `npm run sbom [-- --omit-dev] [--licences]`: a CycloneDX bill of materials on standard output, from package-lock.json
 * alone, so that nothing has to be installed. With `--licences` a table of licences and versions instead.
 */
import { parseArgs } from 'node:util'
import { bomOf, licenceTable, lockedPackages, readLockfile } from './bill-of-materials.ts'

const { values } = parseArgs({
  options: { 'omit-dev': { type: 'boolean', default: false }, licences: { type: 'boolean', default: false } },
})
const lockfile = readLockfile()
const packages = lockedPackages(lockfile).filter(({ isDevelopment }) => !values['omit-dev'] || !isDevelopment)
console.log(values.licences ? licenceTable(packages) : JSON.stringify(bomOf(lockfile, packages), undefined, 2))
