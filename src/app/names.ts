import { Counter, Gauge, type Registry } from 'prom-client';
import type { Logger } from '#base';
import { TargetGuard } from '#base/json-http';
import type { SharedAnswers } from '#cluster';
import { Names, type NamesStatus, type VerifiedNames, withVerifiedNames } from '#names';
import type { NameService } from '#names/services';
import type { ReputationSource } from '#reputation';
import type { Config } from './config.ts';

/** How many wallets to look up at startup: the first pages of the leaderboard. */
const BEST = 50;

type Settings = Pick<
  Config,
  'demo' | 'ethereumRpcUrl' | 'solanaRpcUrl' | 'nfdApiUrl' | 'privateNetworks'
>;

interface NamesParts {
  readonly config: Settings;
  readonly source: ReputationSource;
  readonly shared: SharedAnswers | undefined;
  readonly registry: Registry;
  readonly log: Logger;
  /** Called with a function that closes them. */
  readonly onOpen: (close: () => Promise<void>) => void;
}

/**
 * Opens the configured name services; none for demo data, whose wallets are made up.
 * @throws UserError `wrong-configuration`
 */
export async function openVerifiedNames(parts: NamesParts): Promise<VerifiedNames> {
  const { config, source, shared, registry, log, onOpen } = parts;
  const services = await servicesOf(config);
  const names = new Names({ services, shared, log });
  onOpen(() => names.close());
  addMetrics(registry, names);
  if (services.length > 0) void lookUpBest(withVerifiedNames(source, names), log);
  return names;
}

/** Reads the best wallets, so that the first responses after a start have their names. */
async function lookUpBest(source: ReputationSource, log: Logger): Promise<void> {
  try {
    await source.reading('background').leaderboard({ chain: 'all', limit: BEST, offset: 0 });
  } catch (error) {
    // They're looked up when they're first shown.
    log.debug({ err: error }, 'could not look up the names of the best wallets');
  }
}

/** Loaded only if configured. */
async function servicesOf(config: Settings): Promise<readonly NameService[]> {
  const { demo, ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, privateNetworks } = config;
  if (demo || (ethereumRpcUrl ?? solanaRpcUrl ?? nfdApiUrl) === undefined) return [];
  const { openServices } = await import('#names/services');
  return openServices(config, new TargetGuard({ privateNetworks }));
}

function addMetrics(registry: Registry, names: Names): void {
  const registers = [registry];
  if (names.status().services.length === 0) return;
  new Gauge({
    name: 'fathom_names_kept',
    help: 'Wallets whose verified name, or lack of one, is kept in memory.',
    registers,
    collect() {
      this.set(names.status().kept);
    },
  });
  new Gauge({
    name: 'fathom_names_waiting',
    help: 'Wallets whose name is to be looked up, by service.',
    labelNames: ['service'],
    registers,
    collect() {
      for (const { service, waiting } of names.status().services) this.set({ service }, waiting);
    },
  });
  new Counter({
    name: 'fathom_names_lookups_total',
    help: 'Wallets whose name was looked up in the background, by service and outcome.',
    labelNames: ['service', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const each of names.status().services) {
        for (const outcome of OUTCOMES) this.inc({ service: each.service, outcome }, each[outcome]);
      }
    },
  });
}

const OUTCOMES = ['found', 'none', 'failed'] as const satisfies readonly (keyof NamesStatus)[];
