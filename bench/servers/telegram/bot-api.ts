import type { Message, Update } from 'grammy/types';
import { openApiServer, type Trouble } from './api-server.ts';
import { Flood } from './flood.ts';
import { GROUP_METHODS } from './group-methods.ts';
import { METHODS } from './methods.ts';
import { Recorder } from './recorder.ts';
import { Refusal } from './refusal.ts';
import { faultsOfRules } from './rules.ts';
import { faultsOfCall, faultsOfResult, faultsOfType } from './schema.ts';
import type { Query, State } from './state.ts';
import { UpdateQueue } from './updates.ts';
import type { Received } from './uploads.ts';
import { WebhookSender } from './webhook-sender.ts';
import { type Kept, type News, World } from './world.ts';

const WEBHOOK_IS_SET =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

/** A Bot API on loopback that checks requests and responses. */
export class BotApi extends Recorder {
  token = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
  apiUrl = '';
  readonly world = new World();
  readonly updates = new UpdateQueue();
  readonly webhook = new WebhookSender(this.updates);
  readonly flood = new Flood();
  readonly queries = new Map<string, Query>();
  protected readonly sent: Kept[] = [];
  protected readonly state: State = {
    world: this.world,
    flood: this.flood,
    queries: this.queries,
    inline: new Map(),
    commands: new Map(),
    files: new Map(),
    documents: [],
    violation: (what) => this.violated([what]),
    send: (news) => void this.send(news),
  };
  readonly #troubles: { method: string; trouble: Trouble; times: number }[] = [];
  #close: () => Promise<void> = () => Promise.resolve();

  protected async listen(): Promise<void> {
    const server = await openApiServer(() => this.token, {
      trouble: (method) => this.#troubleFor(method),
      answer: (method, received, gone) => this.#answer(method, received, gone),
      file: (path) => this.state.files.values().find((each) => each.path === path)?.data,
      malformed: (what) => this.violated([`malformed: ${what}`]),
    });
    this.apiUrl = server.url;
    this.#close = server.close;
  }

  async close(): Promise<void> {
    this.webhook.close();
    await this.#close();
  }

  /** Makes calls fail. @param method `*` for all */
  cause(method: string, trouble: Trouble, times = 1): void {
    this.#troubles.push({ method, trouble, times });
  }

  /** Ends all faults. */
  calm(): void {
    this.#troubles.length = 0;
  }

  /** Sends an update to the bot. */
  send(news: News): Update {
    const update = this.updates.add(news);
    if (!this.measuring) this.violated(faultsOfType(update, 'Update').map((each) => `own ${each}`));
    this.webhook.flush();
    return update;
  }

  /** Delivers an update again. */
  repeat(update: Update): void {
    this.updates.repeat(update);
    this.webhook.flush();
  }

  #troubleFor(method: string): Trouble | undefined {
    const planned = this.#troubles.find((each) => each.method === method || each.method === '*');
    if (planned === undefined) return undefined;
    planned.times -= 1;
    if (planned.times <= 0) this.#troubles.splice(this.#troubles.indexOf(planned), 1);
    this.record({ method, payload: {}, ok: false });
    return planned.trouble;
  }

  async #answer(method: string, received: Received, gone: AbortSignal): Promise<unknown> {
    const { payload } = received;
    if (!this.measuring) {
      const faults = [...faultsOfCall(method, payload), ...faultsOfRules(method, payload)];
      this.violated(faults.map((each) => `${method}: ${each}`));
    }
    try {
      const result = await this.#result(method, received, gone);
      if (!this.measuring)
        this.violated(faultsOfResult(method, result).map((each) => `own ${each}`));
      this.record({ method, payload, ok: true });
      return result;
    } catch (error) {
      this.record({ method, payload, ok: false });
      throw error;
    }
  }

  async #result(method: string, { payload, files }: Received, gone: AbortSignal): Promise<unknown> {
    switch (method) {
      case 'getUpdates':
        if (this.webhook.url !== '') throw new Refusal(409, WEBHOOK_IS_SET);
        this.updates.allowed = (payload.allowed_updates as string[]) ?? this.updates.allowed;
        return await this.updates.poll(payload, gone);
      case 'setWebhook':
        this.updates.allowed = (payload.allowed_updates as string[]) ?? this.updates.allowed;
        this.webhook.set(String(payload.url), String(payload.secret_token ?? ''));
        return true;
      case 'getWebhookInfo':
        return this.webhook.info();
    }
    const run = METHODS[method] ?? GROUP_METHODS[method];
    if (run === undefined) {
      this.violated([`nobody expects a call of ${method}`]);
      throw new Refusal(404, 'Not Found: method not found');
    }
    const result = run(this.state, payload, files);
    if (method === 'sendMessage' && !this.measuring) {
      const { chat, message_id: id } = result as Message;
      this.sent.push(this.world.find(chat.id, id) as Kept);
    }
    return result;
  }
}
