import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { freePort } from '../../bench/servers/free-port.ts';
import { type Standby, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { Fathom, type FathomError } from '../../client/src/index.ts';
import { CopyKeeper } from '../support/copy-keeper.ts';
import { walletOf } from '../support/import-lines.ts';
import { activityOf, badgeNamed, batchOf, eventOf } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { missingNginx, type Nginx, startNginx } from '../support/nginx.ts';
import { patienceMs } from '../support/patience.ts';
import { createMigratedDatabase } from '../support/postgres/migrated.ts';
import { rulesText, ScoredStore, TODAY, workshop } from '../support/scoring.ts';
import { type Service, startService } from '../support/service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/*
 * The same at full size, for ten minutes:
 *   COPY_WALLETS=1000000 COPY_MINUTES=10 npx vitest run test/client/failover.service.test.ts
 */
const WALLETS = Number(process.env.COPY_WALLETS ?? 1_200);
const MINUTES = Number(process.env.COPY_MINUTES ?? 0);
/** For each thing that must come. */
const PATIENCE_MS = patienceMs(60_000) + WALLETS;
/** For all of them, one after the other. */
const TEST_MS = 5 * PATIENCE_MS + MINUTES * 180_000;
const WAIT = { timeout: PATIENCE_MS, interval: 50 };

/** Wallets per commit of the first import. */
const STEP = 50_000;
const REPLICAS = [0, 1] as const;

/** Replicas behind nginx on a database that has a standby, and imports that never end. */
class Scene {
  readonly #env: Record<string, string>;
  readonly #ports: readonly number[];
  readonly #services: (Service | undefined)[] = [];
  readonly #stopping = new AbortController();
  readonly nginx: Nginx;
  readonly store: Store;
  readonly scored: ScoredStore;
  #importing: Promise<void> = Promise.resolve();
  commits = 0;

  private constructor(nginx: Nginx, store: Store, ports: readonly number[], url: string) {
    this.nginx = nginx;
    this.store = store;
    this.scored = new ScoredStore(store, TODAY);
    this.#ports = ports;
    this.#env = { DATABASE_URL: url, RATE_LIMIT_PUBLIC: '100000000' };
  }

  static async open(url: string): Promise<Scene> {
    const ports: number[] = [];
    for (const _ of REPLICAS) ports.push(await freePort());
    const nginx = await startNginx(ports.map((port) => `http://127.0.0.1:${port}`));
    onTestFinished(() => nginx.remove());
    const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
    onTestFinished(async () => void (await store.close()));
    const scene = new Scene(nginx, store, ports, url);
    onTestFinished(() => scene.#close());
    return scene;
  }

  async start(number: number): Promise<void> {
    const port = this.#ports[number] as number;
    const service = await startService({ ...this.#env, PORT: String(port) });
    this.#services[number] = service;
    const isReady = async () => (await fetch(`${service.url}/readyz`)).status;
    await expect.poll(isReady, WAIT).toBe(200);
  }

  /** kill -9. */
  async kill(number: number): Promise<void> {
    const service = this.#services[number] as Service;
    const ended = once(service.child, 'exit');
    service.child.kill('SIGKILL');
    await ended;
    this.#services[number] = undefined;
  }

  /** Imports one activity of each wallet. */
  async fill(): Promise<void> {
    const badges = [badgeNamed('voter'), badgeNamed('diver')];
    await this.#write({ badges });
    for (let from = 0; from < WALLETS; from += STEP) {
      const length = Math.min(STEP, WALLETS - from);
      const activities = Array.from({ length }, (_, i) =>
        activityOf(walletOf(from + i), `first${(from + i).toString(32)}v`, {
          points: (from + i) % 997,
        }),
      );
      await this.#write({ activities });
    }
    const events = Array.from({ length: 60 }, (_, i) =>
      // Half of them have nothing but what rules give.
      eventOf(walletOf(i % 2 === 0 ? i : WALLETS + 100_000 + i), `w${i}`),
    );
    await this.scored.add(...events);
  }

  /** Imports again and again: some rise, some fall, some are new, some earn a badge. */
  beginImports(): void {
    this.#importing = this.#imports();
  }

  async endImports(): Promise<void> {
    this.#stopping.abort();
    await this.#importing;
  }

  async #imports(): Promise<void> {
    for (let i = 0; !this.#stopping.signal.aborted; i++) {
      const activities = Array.from({ length: 20 }, (_, j) => {
        const n = (i * 7_919 + j * 104_729) % (WALLETS + 50);
        const badge = j === 0 ? (i % 2 === 0 ? 'voter' : 'diver') : undefined;
        const points = j % 3 === 0 ? -500 : 40 * j;
        return activityOf(walletOf(n), `n${i.toString(32)}v${j.toString(32)}v`, { points, badge });
      });
      await this.insist(() => this.#write({ activities }));
      this.commits += 1;
      await sleep(150);
    }
  }

  /** Lets go of the connection too: there will be many. */
  async #write(change: Parameters<typeof batchOf>[0]): Promise<void> {
    const writer = this.store.openWriter();
    try {
      await writer.stage(batchOf(change));
      await writer.commit();
    } finally {
      await writer.finish();
    }
  }

  /** Again and again, while the database is away. */
  async insist<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (performance.now() > until) throw error;
        await sleep(100);
      }
    }
  }

  async #close(): Promise<void> {
    await this.endImports();
    await Promise.all(this.#services.map((service) => service?.stop()));
  }
}

/** Every wallet and what it has, as the service says now. */
async function shown(fathom: Fathom): Promise<Map<string, string>> {
  const users = await Array.fromAsync(fathom.users({ limit: 500 }));
  return new Map(users.map(({ address, score, tier }) => [address, `${score} ${tier}`]));
}

describe.skipIf(missingNginx !== undefined)(
  missingNginx ?? 'a program that knows only the client',
  () => {
    it(
      'keeps an exact copy through imports, rules, kills of replicas and a failover that loses commits',
      async () => {
        const cluster = await startCluster();
        onTestFinished(() => cluster.remove());
        const direct = await createMigratedDatabase(cluster);
        const proxy: TcpProxy = await startTcpProxy(cluster.port);
        onTestFinished(() => proxy.close());
        const address = new URL(direct);
        address.port = String(proxy.port);
        const scene = await Scene.open(address.href);
        await scene.fill();
        const standby: Standby = await cluster.addStandby();
        onTestFinished(() => standby.remove());
        await Promise.all(REPLICAS.map((number) => scene.start(number)));
        scene.beginImports();

        let pages = 0;
        const keeper = new CopyKeeper(scene.nginx.url, async ({ url }) => {
          if (!url.includes('/leaderboard')) return;
          pages += 1;
          // In the midst of its filling.
          if (pages === 2) await scene.kill(0);
        });
        onTestFinished(() => keeper.stop());
        const began = performance.now();
        keeper.start();
        await expect.poll(() => keeper.fillings, WAIT).toBe(1);
        const filledMs = performance.now() - began;
        await scene.start(0);
        const more = async (entries: number) => {
          const least = keeper.entries + entries;
          await expect.poll(() => keeper.entries, WAIT).toBeGreaterThan(least);
        };
        await more(20);
        // Whichever has the stream is among them.
        for (const number of REPLICAS) {
          await scene.kill(number);
          await more(20);
          await scene.start(number);
        }
        const rules = (version: number, event: string) =>
          rulesText([workshop.replace('workshop_attended', event)], { version });
        await scene.insist(() => scene.scored.apply(rules(1, 'workshop_attended')));
        await more(60);
        await scene.insist(() => scene.scored.apply(rules(2, 'other')));
        await more(60);
        for (const until = began + MINUTES * 60_000; performance.now() < until; ) {
          const number = Math.floor(Math.random() * REPLICAS.length);
          await scene.kill(number);
          await more(100);
          await scene.start(number);
          await sleep(5_000);
        }

        // What is committed from now on is lost, and the copy has it.
        await standby.stop();
        await more(40);
        const lost = keeper.copy.cursor as string;
        await cluster.kill();
        await standby.start();
        await standby.promote();
        proxy.leadTo(standby.port);
        await expect.poll(() => keeper.fillings, WAIT).toBeGreaterThan(1);
        await more(40);
        await scene.endImports();

        const fathom = new Fathom({ url: scene.nginx.url });
        const gone = await fathom
          .changes({ after: lost })
          .catch((error: FathomError) => error.code);
        expect(gone).toBe('cursor-gone');
        const isLevel = async () => {
          const { digest } = await fathom.provenance({ cache: 'no-cache' });
          return (await keeper.copy.digest()) === digest;
        };
        await expect.poll(isLevel, WAIT).toBe(true);
        const own = [...keeper.copy.wallets].map(([each, { score, tier }]) => [
          each,
          `${score} ${tier}`,
        ]);
        expect(new Map(own as [string, string][])).toEqual(await shown(fathom));
        const badges = await keeper.badges();
        const lists = await fathom.badgeLists([...badges.keys()]);
        for (const [i, [each, ids]] of [...badges].entries()) {
          const list = lists[i];
          const told = list instanceof Error ? [] : list?.badges.map(({ id }) => id);
          expect(ids, each).toEqual(new Set(told));
        }
        expect(keeper.faults).toEqual([]);
        if (MINUTES > 0) {
          const seconds = Math.round((performance.now() - began) / 1000);
          const { commits } = scene;
          const { entries, fillings, copy } = keeper;
          process.stdout.write(
            `${copy.wallets.size} wallets equal after ${seconds} s: ${commits} commits, ${entries} entries, ${fillings} fillings, the first in ${Math.round(filledMs / 1000)} s\n`,
          );
        }
      },
      TEST_MS,
    );
  },
);
