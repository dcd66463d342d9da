import { getAddress } from 'viem';
import { beforeEach, expect, vi } from 'vitest';
import type { LinkingParts, WalletLinking } from '#app/members/linking';
import { UserError } from '#base/errors';
import type { LinkStore } from '#linking/store';
import { answererWith } from './ask.ts';
import { cardText } from './card-text.ts';
import { ownedBy } from './contracts.ts';
import { openEthereumNode, type TestNode } from './ethereum-node.ts';
import { ALICE } from './link-scene.ts';
import { linkingWith, linkStore } from './linking.ts';
import { patienceMs } from './patience.ts';
import { ethereumWallet } from './wallet-keys.ts';

const OWNER = ethereumWallet('an owner');

/** A member who proves a contract wallet whose node is unavailable, and a clock that only advances on request. */
class UncheckedScene {
  /** Seconds since 1970. */
  now!: number;
  store!: LinkStore;
  node!: TestNode;
  linking!: WalletLinking;
  wallet!: { chain: 'ethereum'; address: string };
  /** Work scheduled in this process. */
  waiting!: { readonly seconds: number; readonly work: () => void }[];

  async begin(): Promise<void> {
    this.now = 1_800_000_000;
    this.store = linkStore();
    this.node = await openEthereumNode();
    this.waiting = [];
    this.linking = this.another();
    await this.deploy(ownedBy(OWNER.wallet.address));
    this.node.instead = () => 'status 500';
  }

  /** Another process on the same store. */
  another(changes: Partial<LinkingParts> = {}): WalletLinking {
    return linkingWith({
      ...changes,
      store: this.store,
      clock: () => this.now * 1000,
      config: { ethereumRpcUrl: this.node.url, algorandIndexerUrl: undefined },
      after: (milliseconds, work) => {
        const item = { seconds: milliseconds / 1000, work };
        this.waiting.push(item);
        return () => this.waiting.splice(this.waiting.indexOf(item), 1);
      },
    });
  }

  /** From now on, the wallet is a contract with this code. */
  async deploy(code: `0x${string}`): Promise<void> {
    this.wallet = { chain: 'ethereum', address: getAddress(await this.node.deploy(code)) };
  }

  /** The node is there again. */
  back(): void {
    this.node.instead = () => undefined;
  }

  #startNext(): void {
    const next = this.waiting.shift() ?? expect.fail('nothing waits');
    this.now += next.seconds;
    next.work();
  }

  /** Runs this process's scheduled work when it's due. */
  async passUntilRetry(): Promise<void> {
    this.#startNext();
    // It starts nothing new before this is done.
    await this.linking.stop();
  }

  /** The same if it gets no result: it's scheduled again. */
  async passOneMore(): Promise<void> {
    this.#startNext();
    const patience = { timeout: patienceMs(30_000), interval: 20 };
    await vi.waitUntil(() => this.waiting.length > 0, patience);
  }

  /** The member's link, opened on the page, with a signature of its text. */
  async onPage() {
    const { url } = await this.linking.of(ALICE).begin();
    const ticket = url.split('#')[1] ?? '';
    const { session } = await this.linking.page.open(ticket, undefined);
    const { text } = await this.linking.page.challenge(session, this.wallet.address);
    const signature = await OWNER.sign(text);
    const prove = () => this.linking.page.prove(session, { form: 'message', signature });
    return { ticket, session, prove };
  }

  /** A signature of the text that the chat gave. */
  async byHand(locale?: string): Promise<string> {
    const { text } = await this.linking.of(ALICE, locale).beginByHand(this.wallet);
    return await OWNER.sign(text);
  }

  /** A member's /link, as they read it. */
  asking(): (args?: Record<string, string>) => Promise<string> {
    const answerer = answererWith({
      linksOf: (caller) => this.linking.of(caller),
      clock: () => this.now * 1000,
    });
    return async (args = {}) => {
      const call = { command: 'link', args };
      return cardText(await answerer.answer({ call, caller: ALICE, locale: 'en' }));
    };
  }
}

/** A new one for each test of the file. */
export function uncheckedScene(): UncheckedScene {
  const scene = new UncheckedScene();
  beforeEach(() => scene.begin());
  return scene;
}

/** What it throws; undefined if it succeeds. */
export async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** The code of a `UserError`, or what else it throws. */
export async function thrownCode(work: Promise<unknown>): Promise<unknown> {
  const error = await thrownBy(work);
  return error instanceof UserError ? error.code : error;
}
