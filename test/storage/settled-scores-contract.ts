import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_SECONDS } from '#base/time/time';
import type { ImportedEvent } from '#reputation/activity';
import { inputsBySource, pathPlace } from '#scoring/inputs/input';
import type { SourceEvent, SourcePosition } from '#scoring/inputs/store';
import { Evaluator } from '#scoring/score-versions/evaluator';
import type { ScoreVersion } from '#scoring/score-versions/score-version';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { CHAIN_RULES as RULES } from '../support/chain-rules.ts';
import { openMemoryStore } from '../support/empty-store.ts';
import { ETH_A, ETH_B, eventOf, SOL_A } from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';
import { validRules } from '../support/rules.ts';
import { ScoredStore, TODAY } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

const INPUTS = (inputsBySource([validRules(RULES).rules]).get('eth') ?? []).map(({ name }) => name);
const BEGIN: SourcePosition = { height: 99, hash: '0x99', time: TODAY * DAY_SECONDS };

/** A store with rules, as far as a test has brought it. */
class Played {
  readonly scored: ScoredStore;
  #at = BEGIN;

  private constructor(store: Store) {
    this.scored = new ScoredStore(store, TODAY);
  }

  static async begin(store: Store): Promise<Played> {
    const played = new Played(store);
    const inputs = INPUTS.map((name) => ({ name, position: BEGIN }));
    await store.evidence.begin({ id: 'eth', chain: 'eip155:1' }, inputs);
    await played.scored.apply(RULES);
    return played;
  }

  /** Reads the chain up to a height at which each of the wallets votes. */
  async read(height: number, ...wallets: Wallet[]): Promise<void> {
    const to = { height, hash: `0x${height}`, time: TODAY * DAY_SECONDS + height };
    const events = wallets.map((wallet, index): SourceEvent => {
      const args = JSON.stringify({ proposalId: String(height), weight: '10' });
      const place = pathPlace([1, index]);
      return { input: 0, wallet, height, place, time: to.time, args, transaction: `0x${height}` };
    });
    const stretch = { source: 'eth', inputs: INPUTS, from: this.#at, to, events };
    expect(await this.scored.store.evidence.append(stretch)).toBe(true);
    this.#at = to;
  }

  /** Attended yesterday. */
  async attend(...wallets: Wallet[]): Promise<void> {
    const event = (wallet: Wallet): ImportedEvent =>
      eventOf(wallet, `of ${wallet.address}`, {
        event: 'workshop_attended',
        timestamp: (TODAY - 1) * DAY_SECONDS,
      });
    await this.scored.add(...wallets.map(event));
  }

  /** Follows with a commit for each wallet. @param between called before and after each commit */
  async followSlowly(between: () => Promise<void>): Promise<void> {
    const { store } = this.scored;
    const { signal } = new AbortController();
    const today = () => this.scored.today;
    const evaluator = new Evaluator({
      ...{ store: store.scoring, today, yieldToEventLoop: between, signal, runSteps: 1 },
    });
    const live = (await store.scoring.live()) as ScoreVersion;
    await evaluator.follow(live, this.scored.rulesOf(RULES)[0]);
  }
}

/** That all parts of what is told about scores are of one state, whatever is being written. */
export function settledScoresContract(name: string, under: StoreUnderTest): void {
  describe(`${name} tells of settled scores`, () => {
    let played: Played;
    /** The same history, without anything in between. */
    let plain: Played;
    /** What was told, by its revision. */
    let told: Map<string, string>;

    beforeEach(async () => {
      played = await Played.begin(await under.open());
      plain = await Played.begin(openMemoryStore());
      told = new Map();
    });
    afterEach(async () => {
      await plain.scored.store.close();
      await played.scored.store.close();
      await under.clean();
    });

    async function stateOf({ scored: { store } }: Played): Promise<string> {
      await refreshed(store);
      const source = await store.openSource((text) => validRules(text, undefined, true).rules);
      const reading = source.reading();
      const { sources, asOf, digest } = await reading.provenance();
      const state = JSON.stringify({ sources, asOf, digest });
      if (store === played.scored.store) {
        const { revision } = reading;
        expect(told.get(revision) ?? state).toBe(state);
        told.set(revision, state);
      }
      return state;
    }

    async function plainly(step?: (on: Played) => Promise<void>): Promise<string> {
      await step?.(plain);
      await plain.scored.follow();
      return stateOf(plain);
    }

    it('with several commits on the way from one state of a chain to the next', async () => {
      const before = await plainly();
      const step = (on: Played) => on.read(110, ETH_A, ETH_B, SOL_A);
      const after = await plainly(step);
      await step(played);
      const states: string[] = [];
      await played.followSlowly(async () => void states.push(await stateOf(played)));
      expect(new Set(states)).toEqual(new Set([before, after]));
      expect(states.filter((each) => each === before).length).toBeGreaterThan(4);
      expect(await stateOf(played)).toBe(after);
    });

    it('where a chain is read on meanwhile', async () => {
      const states = [await plainly()];
      states.push(await plainly((on) => on.read(110, ETH_A, ETH_B)));
      states.push(await plainly((on) => on.read(120, ETH_B, SOL_A)));
      await played.read(110, ETH_A, ETH_B);
      const seen = new Set<string>();
      let isRead = false;
      await played.followSlowly(async () => {
        if (!isRead) await played.read(120, ETH_B, SOL_A);
        isRead = true;
        seen.add(await stateOf(played));
      });
      expect([...seen]).toEqual(states);
    });

    it('where imports arrive meanwhile', async () => {
      const before = await plainly();
      await plain.read(110, ETH_A, ETH_B);
      const after = await plainly((on) => on.attend(ETH_B, SOL_A));
      await played.read(110, ETH_A, ETH_B);
      const seen = new Set<string>();
      let isImported = false;
      await played.followSlowly(async () => {
        seen.add(await stateOf(played));
        if (!isImported) await played.attend(ETH_B, SOL_A);
        isImported = true;
      });
      expect([...seen]).toEqual([before, after]);
    });

    it('while a daily step is taken', async () => {
      for (const each of [plain, played]) {
        await each.read(110, ETH_A, ETH_B, SOL_A);
        await each.scored.follow();
        each.scored.today += 2;
      }
      const before = await stateOf(played);
      const step = (on: Played) => on.read(2 * DAY_SECONDS + 120);
      const after = await plainly(step);
      await step(played);
      const seen = new Set<string>();
      await played.followSlowly(async () => void seen.add(await stateOf(played)));
      seen.add(await stateOf(played));
      expect([...seen]).toEqual([before, after]);
      expect(JSON.parse(after).digest).not.toBe(JSON.parse(before).digest);
    });

    it('after whoever wrote it was stopped on the way', async () => {
      await played.read(110, ETH_A, ETH_B, SOL_A);
      const [before, after] = [
        await stateOf(played),
        await plainly((on) => on.read(110, ETH_A, ETH_B, SOL_A)),
      ];
      let calls = 0;
      const stopped = played.followSlowly(async () => {
        calls += 1;
        if (calls === 4) throw new Error('stopped');
      });
      await expect(stopped).rejects.toThrow('stopped');
      expect(await stateOf(played)).toBe(before);
      await played.scored.follow();
      expect(await stateOf(played)).toBe(after);
    });

    it('in one commit, where one is enough', async () => {
      const writes: string[] = [];
      await played.read(110, ETH_A, ETH_B);
      played.scored.today += 1;
      await played.attend(ETH_A);
      await played.scored
        .evaluator(async () => void writes.push(''))
        .follow(
          (await played.scored.store.scoring.live()) as ScoreVersion,
          played.scored.rulesOf(RULES)[0],
        );
      expect(writes.length).toBe(2);
    });
  });
}
