import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { base58 } from '@scure/base';
import { pino } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { algorandKey, ethereumKey, solanaKey, type WalletKey } from './link-keys.ts';

interface Message {
  readonly topic: string;
  readonly message: string;
  readonly publishedAt: number;
  readonly tag: unknown;
  /** The clients it was delivered to, and its sender: none of them gets it again. */
  readonly known: Set<string>;
}

type Fields = Record<string, string>;

interface Connection {
  readonly socket: WebSocket;
  /** The same after a reconnect. */
  readonly client: string;
}

/**
 * A stand-in for WalletConnect's relay: it stores what is sent to a topic and forwards it to all subscribers.
 * It reads nothing, since messages between the page and the wallet are encrypted.
 * https://specs.walletconnect.com/2.0/specs/servers/relay/relay-server-rpc
 */
export class RelayStandIn {
  /** The called methods, in order. */
  readonly called: string[] = [];
  readonly #server: WebSocketServer;
  readonly #messages: Message[] = [];
  readonly #subscribers = new Map<string, Set<Connection>>();

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket, request) => {
      const { searchParams } = new URL(request.url ?? '', 'ws://relay');
      // A client authenticates with a signed token and names its project.
      const [, claims = ''] = (searchParams.get('auth') ?? '').split('.');
      const client = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}').iss;
      const isRight = String(client).startsWith('did:key:z6Mk');
      if (!isRight || searchParams.get('projectId') !== PROJECT) return socket.close(3000);
      const connection = { socket, client };
      socket.on('message', (data) => this.#answer(connection, JSON.parse(String(data))));
      socket.on('close', () => {
        for (const each of this.#subscribers.values()) each.delete(connection);
      });
    });
  }

  static async open(): Promise<RelayStandIn> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((resolve) => server.once('listening', resolve));
    return new RelayStandIn(server);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const each of this.#server.clients) each.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(from: Connection, asked: { id: number; method?: string; params: Fields }): void {
    // A message without a method acknowledges one that was delivered.
    if (asked.method === undefined) return;
    this.called.push(asked.method);
    const result = this.#do(from, asked.method, asked.params);
    from.socket.send(JSON.stringify({ id: asked.id, jsonrpc: '2.0', result }));
  }

  #do(from: Connection, method: string, params: Fields): unknown {
    const { topic = '', message = '', pairingTopic = '', sessionTopic = '' } = params;
    switch (method) {
      case 'irn_subscribe':
        return this.#subscribe(from, topic);
      case 'irn_batchSubscribe':
        return (params.topics as unknown as string[]).map((each) => this.#subscribe(from, each));
      case 'irn_fetchMessages':
      case 'irn_batchFetchMessages':
        return { messages: [], hasMore: false };
      case 'irn_publish':
        this.#publish(from, topic, message, params.tag);
        return true;
      case 'wc_proposeSession':
        this.#subscribe(from, pairingTopic);
        this.#publish(from, pairingTopic, params.sessionProposal ?? '', 1100);
        return true;
      case 'wc_approveSession':
        this.#subscribe(from, sessionTopic);
        this.#publish(from, pairingTopic, params.sessionProposalResponse ?? '', 1101);
        this.#publish(from, sessionTopic, params.sessionSettlementRequest ?? '', 1102);
        return true;
      default:
        return true;
    }
  }

  #subscribe(from: Connection, topic: string): string {
    const all = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, all.add(from));
    // Earlier messages are delivered, too.
    for (const each of this.#messages) if (each.topic === topic) deliver(from, each);
    return topic;
  }

  #publish(from: Connection, topic: string, message: string, tag: unknown): void {
    // A client that waits long for an answer publishes it again; the relay knows a message by its hash.
    if (this.#messages.some((each) => each.topic === topic && each.message === message)) return;
    const sent = { topic, message, publishedAt: Date.now(), tag, known: new Set([from.client]) };
    this.#messages.push(sent);
    for (const each of this.#subscribers.get(topic) ?? []) deliver(each, sent);
  }
}

function deliver({ socket, client }: Connection, { known, ...data }: Message): void {
  if (known.has(client)) return;
  known.add(client);
  const params = { id: randomUUID(), data };
  const id = Date.now() * 1000 + Math.floor(Math.random() * 1000);
  socket.send(JSON.stringify({ id, jsonrpc: '2.0', method: 'irn_subscription', params }));
}

/** What a wallet does with the makers' library. */
interface WalletClient {
  on(event: 'session_proposal', listener: (proposal: { id: number }) => Promise<void>): void;
  on(
    event: 'session_request',
    listener: (asked: {
      id: number;
      topic: string;
      params: { request: { method: string; params: unknown } };
    }) => Promise<void>,
  ): void;
  approve(proposal: { id: number; namespaces: object }): Promise<unknown>;
  respond(answer: { topic: string; response: object }): Promise<void>;
  readonly session: { getAll(): readonly unknown[] };
  readonly core: {
    readonly pairing: { pair(link: { uri: string }): Promise<unknown> };
    readonly relayer: { transportClose(): Promise<void> };
  };
}

/** The file that the page loads: of the library nothing else runs here, see `overrides` in package.json. */
const { SignClient } = createRequire(import.meta.url)(
  '@walletconnect/sign-client/dist/index.umd.js',
) as { SignClient: { init(options: object): Promise<WalletClient> } };

export const PROJECT = '0123456789abcdef0123456789abcdef';

/**
 * A wallet on another device, with the makers' own library. It approves everything.
 * @param known the methods that it knows, which it then names by network; by default all
 */
export async function openRemoteWallet(
  relayUrl: string,
  chains: readonly ChainName[],
  known?: readonly string[],
) {
  const kept = new Map<string, unknown>();
  const client = await SignClient.init({
    projectId: PROJECT,
    relayUrl,
    telemetryEnabled: false,
    // By the level alone, the file for browsers stays loud here.
    logger: pino({ level: 'silent' }),
    customStoragePrefix: randomUUID(),
    metadata: { name: 'Remote', description: '', url: 'https://wallet.example', icons: [] },
    storage: {
      getKeys: async () => [...kept.keys()],
      getEntries: async () => [...kept],
      getItem: async (key: string) => kept.get(key),
      setItem: async (key: string, value: unknown) => void kept.set(key, value),
      removeItem: async (key: string) => void kept.delete(key),
    },
  });
  const asked: string[] = [];
  client.on('session_proposal', async ({ id }) => {
    const namespaces = Object.fromEntries(
      chains.map((name) => {
        const { namespace, network, key } = CHAINS[name];
        const methods = known ?? CHAINS[name].methods;
        const accounts = [`${namespace}:${network}:${key.address}`];
        const chain = `${namespace}:${network}`;
        return [
          known === undefined ? namespace : chain,
          { accounts, methods: [...methods], events: [], chains: [chain] },
        ];
      }),
    );
    await client.approve({ id, namespaces });
  });
  client.on('session_request', async ({ id, topic, params: { request } }) => {
    asked.push(request.method);
    const chain = Object.values(CHAINS).find(({ methods }) => methods.includes(request.method));
    const result = await chain?.answer(request.params);
    await client.respond({ topic, response: { id, jsonrpc: '2.0', result } });
  });
  return {
    asked,
    sessions: () => client.session.getAll().length,
    pair: async (uri: string) => void (await client.core.pairing.pair({ uri })),
    close: () => client.core.relayer.transportClose(),
  };
}

export type ChainName = 'Ethereum' | 'Solana' | 'Algorand';

interface RemoteChain {
  readonly namespace: string;
  readonly network: string;
  readonly key: WalletKey;
  readonly methods: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: as the page sends it
  answer(params: any): Promise<unknown>;
}

const CHAINS: Readonly<Record<ChainName, RemoteChain>> = {
  Ethereum: {
    namespace: 'eip155',
    network: '1',
    key: ethereumKey(11),
    methods: ['personal_sign'],
    answer: ([text]) => ethereumKey(11).sign(Buffer.from(text.slice(2), 'hex')),
  },
  Solana: {
    namespace: 'solana',
    network: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    key: solanaKey(11),
    methods: ['solana_signMessage', 'solana_signTransaction'],
    async answer({ message, transaction }) {
      const signed = async (bytes: Uint8Array) =>
        Buffer.from(await solanaKey(11).sign(bytes), 'base64');
      if (message !== undefined) {
        return { signature: base58.encode(await signed(base58.decode(message))) };
      }
      const bytes = Buffer.from(transaction, 'base64');
      const signature = await signed(bytes.subarray(1 + 64 * (bytes[0] ?? 0)));
      signature.copy(bytes, 1);
      return { signature: base58.encode(signature), transaction: bytes.toString('base64') };
    },
  },
  Algorand: {
    namespace: 'algorand',
    network: 'wGHE2Pwdvd7S12BL5FaOP20EGYesN73k',
    key: algorandKey(11),
    methods: ['algo_signTxn'],
    async answer([[{ txn }]]) {
      const bytes = Buffer.from(txn, 'base64');
      const signature = await algorandKey(11).sign(Buffer.concat([Buffer.from('TX'), bytes]));
      const parts = [
        Buffer.from([0x82, 0xa3]),
        Buffer.from('sig'),
        Buffer.from([0xc4, 64]),
        Buffer.from(signature, 'base64'),
        Buffer.from([0xa3]),
        Buffer.from('txn'),
        bytes,
      ];
      return [Buffer.concat(parts).toString('base64')];
    },
  },
};
