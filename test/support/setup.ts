import fc from 'fast-check'

/**
 * Property tests draw the same cases in every run, so that a change is judged by what it changed. `FAST_CHECK_SEED=7`
 * draws others: worth a run from time to time, and what it finds becomes a row of its own.
 */
const SEED = 20260820

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['FAST_CHECK_SEED'] ?? SEED) })
