/** How large a run is. Only full figures are worth quoting; quick ones show that the harness works. */
export interface Scale {
  readonly name: 'full' | 'quick'
  /** Clusters whose writes are measured. As many more as `warmClusters` go before them and are not. */
  readonly steadyClusters: number
  readonly warmClusters: number
  /** Of 60-sample requests, per cluster. */
  readonly smallScrapes: number
  readonly newClusters: number
  /** Scrapes of a fleet that arrives; the first one has all the new series. */
  readonly newScrapes: number
  readonly sixHourClusters: number
  readonly historyClusters: number
  readonly historyDays: number
  readonly rulesClusters: number
  /** Those that are measured; the first and `ruleWarmups` go before them. */
  readonly ruleEvaluations: number
  readonly ruleWarmups: number
  readonly restartClusters: number
  readonly restartHours: number
  readonly sustainedClusters: number
  /** Whole scrape intervals at real pace, of 30 seconds each. */
  readonly sustainedRounds: number
  /** How long a server may work on old samples before it is asked. */
  readonly restMsMax: number
  readonly wildClusters: number
  readonly liveClusters: number
  /** Whole scrape intervals at real pace. */
  readonly liveRounds: number
}

/** 120,000 samples every 30 seconds, 600,000 in `sustained`; the restart finds 100.8 million samples. */
export const FULL: Scale = {
  name: 'full',
  steadyClusters: 2000,
  warmClusters: 100,
  smallScrapes: 20,
  newClusters: 10_000,
  newScrapes: 10,
  sixHourClusters: 2000,
  historyClusters: 1000,
  historyDays: 30,
  rulesClusters: 2000,
  ruleEvaluations: 30,
  ruleWarmups: 20,
  restartClusters: 2000,
  restartHours: 7,
  sustainedClusters: 10_000,
  sustainedRounds: 5,
  restMsMax: 120_000,
  wildClusters: 1000,
  liveClusters: 10_000,
  liveRounds: 20,
}

export const QUICK: Scale = {
  name: 'quick',
  steadyClusters: 300,
  warmClusters: 100,
  smallScrapes: 20,
  newClusters: 1000,
  newScrapes: 10,
  sixHourClusters: 50,
  historyClusters: 50,
  historyDays: 8,
  rulesClusters: 200,
  ruleEvaluations: 10,
  ruleWarmups: 2,
  restartClusters: 50,
  restartHours: 7,
  sustainedClusters: 1000,
  sustainedRounds: 1,
  restMsMax: 15_000,
  wildClusters: 100,
  liveClusters: 1000,
  liveRounds: 6,
}
