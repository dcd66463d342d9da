import { RetryableError } from '#base/errors';
import type { Card } from '#command/cards/card';
import type { ChangeOutcome, Member } from '#gating/community-adapter';
import type { HandEntry, HandLog } from '#gating/members/bars/hand-log';
import { NOW } from '../fixed-source.ts';
import { TestAdapter } from '../gating.ts';

/** What happens to a call: it's refused, it fails, or it's carried out and its response is lost. */
export type Fault = 'refused' | 'failed' | 'lost';

/** Accounts that give and take what rules grant. */
const PERSON = '5';
const BOT = '6';

/** A change that the platform has made, whoever asked for it. */
export interface Effect {
  readonly by: 'us' | 'hand';
  readonly step: 'give' | 'take';
  readonly account: string;
  readonly role: string;
}

/** A community that logs what was really done, and can be given faults. */
export class FaultyPlatform extends TestAdapter {
  readonly effects: Effect[] = [];
  /** Keyed by the number of calls from now. */
  readonly faults = new Map<number, Fault>();
  isConnected = true;
  /** What others gave and took, if the platform tells. */
  handLog?: HandLog;
  readonly #entries: HandEntry[] = [];
  #now = NOW;
  /** Called right before the platform does what we ask. */
  onEffect: (effect: Effect) => void = () => undefined;
  /** Called when a member hears what they may lose, and when. */
  onTold: (account: string, role: string, due: number) => void = () => undefined;

  /** Its own clock in seconds since 1970, which nobody here can set; whatever happens next is later. */
  clock(passed = 1): number {
    this.#now += passed;
    return this.#now;
  }

  /** From now on it tells who gives and takes. */
  keepLog(): void {
    this.handLog = {
      isReported: () => false,
      read: async (_, after) => {
        if ((await this.#fault()) !== undefined) throw new RetryableError('503');
        const entries = this.#entries.filter(({ id }) => Number(id) > Number(after ?? Infinity));
        return { entries, upTo: String(this.#entries.length) };
      },
    };
  }

  async isBot(_: string, account: string): Promise<boolean> {
    if ((await this.#fault()) !== undefined) throw new RetryableError('503');
    return account === BOT;
  }

  override async member(community: string, account: string): Promise<Member | undefined> {
    if ((await this.#fault()) !== undefined) throw new RetryableError('503');
    return await super.member(community, account);
  }

  override async give(community: string, account: string, role: string): Promise<ChangeOutcome> {
    return await this.#change('give', account, role, () => super.give(community, account, role));
  }

  override async take(community: string, account: string, role: string): Promise<ChangeOutcome> {
    return await this.#change('take', account, role, () => super.take(community, account, role));
  }

  /** A role's name is its id. */
  override async inspect(_community?: string, role = '') {
    return { ...(await super.inspect()), name: role };
  }

  override async notify(community: string, account: string, card: Card): Promise<boolean> {
    const spans = card.blocks.flatMap((block) => (block.kind === 'text' ? block.spans : []));
    const role = /“(\d+)”/.exec(JSON.stringify(spans))?.[1];
    const due = spans.find((span) => typeof span === 'object' && 'time' in span);
    if (role !== undefined && due !== undefined) this.onTold(account, role, due.time);
    return await super.notify(community, account, card);
  }

  /** Someone else grants or removes a role. */
  byHand(step: 'give' | 'take', account: string, role: string, by: 'person' | 'bot'): void {
    const roles = this.roles.get(account);
    if (roles === undefined || roles.has(role) === (step === 'give')) return;
    if (step === 'give') roles.add(role);
    else roles.delete(role);
    this.effects.push({ by: 'hand', step, account, role });
    const id = String(this.#entries.length + 1);
    const done = step === 'give' ? 'given' : 'removed';
    const author = by === 'person' ? PERSON : BOT;
    const changes = [{ step: done, account, grant: role, by: author }] as const;
    this.#entries.push({ id, at: this.clock(), changes });
  }

  async #change(
    step: Effect['step'],
    account: string,
    role: string,
    work: () => Promise<ChangeOutcome>,
  ): Promise<ChangeOutcome> {
    const fault = await this.#fault();
    if (fault === 'refused') return 'not-allowed';
    if (fault === 'failed') throw new RetryableError('503');
    const had = this.roles.get(account)?.has(role);
    if (had !== undefined && had !== (step === 'give')) {
      const effect = { by: 'us', step, account, role } as const;
      this.onEffect(effect);
      this.effects.push(effect);
    }
    const outcome = await work();
    if (fault === 'lost') throw new RetryableError('502');
    return outcome;
  }

  async #fault(): Promise<Fault | undefined> {
    if (!this.isConnected) throw new RetryableError('not connected');
    const due = this.faults.get(0);
    const later = [...this.faults].filter(([calls]) => calls > 0);
    this.faults.clear();
    for (const [calls, fault] of later) this.faults.set(calls - 1, fault);
    return due;
  }
}
