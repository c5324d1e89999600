// Weeks of remission of 42 patients (Freireich and others 1963): finished, and lost.
import { durationsOf } from '../../../src/fleet/statistics/durations.ts'

export const SIX_MP = durationsOf([6, 6, 6, 7, 10, 13, 16, 22, 23], [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35])
export const PLACEBO = durationsOf([1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23], [])
