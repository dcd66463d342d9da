import { beforeEach } from 'vitest';
import type { WalletLinking } from '#app/members/linking';
import { RetryableError, UserError } from '#base/errors';
import type { Caller } from '#command/account';
import type { Linked } from '#linking/linking';
import type { LinkStore } from '#linking/store';
import { linkingWith, linkStore } from './linking.ts';
import { ethereumWallet, type KeyedWallet } from './wallet-keys.ts';

export const ALICE: Caller = {
  platform: 'discord',
  id: '80351110224678912',
  name: 'Alice ✓ (you)',
  username: 'mallory_666',
  avatar: 'https://cdn.discordapp.com/avatars/80351110224678912/abc.png?size=64',
};
export const BOB: Caller = { platform: 'discord', id: '90351110224678912', name: 'Bob' };

/** Members who link wallets, with a clock that only advances on request. */
class LinkScene {
  /** Seconds since 1970. */
  now!: number;
  store!: LinkStore;
  linking!: WalletLinking;

  begin(): void {
    this.now = 1_800_000_000;
    this.store = linkStore();
    this.linking = linkingWith({ store: this.store, clock: () => this.now * 1000 });
  }

  pass(seconds: number): void {
    this.now += seconds;
  }

  /** Goes through the page until the code. */
  async codeFor(caller: Caller, keyed: KeyedWallet = ethereumWallet('a')): Promise<string> {
    const { page } = this.linking;
    const { url } = await this.linking.of(caller).begin();
    const { session } = await page.open(ticketOf(url), undefined);
    const { text } = await page.challenge(session, keyed.wallet.address);
    const signature = await keyed.sign(text);
    return (await page.prove(session, { form: 'message', signature })).code;
  }

  async linkByHand(caller: Caller, keyed: KeyedWallet = ethereumWallet('a')): Promise<Linked> {
    const links = this.linking.of(caller);
    const { text } = await links.beginByHand(keyed.wallet);
    return await links.handIn(await keyed.sign(text));
  }
}

/** A new one for each test of the file. */
export function linkScene(): LinkScene {
  const scene = new LinkScene();
  beforeEach(() => scene.begin());
  return scene;
}

export const ticketOf = (url: string): string => url.slice(url.indexOf('#') + 1);

/** The code of the error it throws; `retryable` if it has none. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.code;
    if (error instanceof RetryableError) return 'retryable';
    throw error;
  }
}
