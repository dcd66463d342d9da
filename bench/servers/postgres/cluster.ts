import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '#storage/postgres/migrate';
import { freePort } from '../free-port.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { copyDataFolder, makeDataFolder, USER } from './data-folder.ts';

/** Sized for a test of a second, on a machine that many tests share. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '32MB',
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'replica',
  max_wal_senders: '4',
  // In its own folder: what's in the machine's shared memory outlives a server that is killed.
  dynamic_shared_memory_type: 'mmap',
  jit: 'off',
};

/** A test's own Postgres server, with everything that can happen to one. */
export interface Cluster {
  readonly port: number;
  /** Of its first process; throws while it isn't running. */
  readonly pid: number;
  /** Creates a database: empty, or a copy of another. @returns its URL */
  createDatabase(template?: string): Promise<string>;
  /** kill -9, like a power failure; `start` brings it back. */
  kill(): Promise<void>;
  /** It keeps its connections, and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Shuts it down cleanly, as for a software update; `start` brings it back. */
  stop(): Promise<void>;
  /** Starts it again where it was. */
  start(): Promise<void>;
  /** A second server that follows this one. */
  addStandby(): Promise<Standby>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

export interface Standby extends Cluster {
  /** The URL here of a database of the first server. */
  urlOf(url: string): string;
  /** Promotes it to a server of its own. */
  promote(): Promise<void>;
}

interface ClusterOptions {
  /** Of postgresql.conf. */
  readonly settings?: Record<string, string>;
  /** Where its programs are, as in `findBinaries`. */
  readonly bin?: string | undefined;
}

/** Creates and starts a server. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { settings, bin } = options;
  const folder = makeFolder();
  // Of a whole test run; the benchmark has none.
  const shared = process.env.FATHOM_TEST_FOLDER;
  const binaries = await findBinaries(shared ?? folder, bin);
  const data = join(folder, 'data');
  if (shared === undefined) makeDataFolder(data, binaries);
  else await copyDataFolder(data, binaries, shared, (first) => addTables(first, binaries));
  const server = new Server(folder, binaries, await freePort(), { ...SETTINGS, ...settings });
  await server.start();
  return server;
}

/** In servers of a test run: a database with all of Fathom's tables, to be copied. Nothing may connect to it. */
export const WITH_TABLES = 'with_tables';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

async function addTables(folder: string, binaries: Binaries): Promise<void> {
  const server = new Server(folder, binaries, await freePort(), SETTINGS);
  await server.start();
  try {
    await migrate(await server.createDatabase(undefined, WITH_TABLES), SILENT);
  } finally {
    await server.stop();
  }
}

/** A folder that the server's account may enter. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-postgres-'));
  chmodSync(folder, 0o777);
  return folder;
}

/** Little else than the clock, if a library moves it (see .ci/moved-clock): times are compared with the database's. */
function serverEnv(): NodeJS.ProcessEnv {
  const { PATH, LD_PRELOAD, FAKETIME, FAKETIME_DONT_FAKE_MONOTONIC } = process.env;
  return { PATH, LD_PRELOAD, FAKETIME, FAKETIME_DONT_FAKE_MONOTONIC };
}

let databases = 0;

/** Whatever happens to the tests, no server outlives them. */
const STARTED = new Set<number>();
process.once('exit', () => {
  for (const pid of STARTED) killQuietly(pid);
});

class Server implements Standby {
  readonly port: number;
  readonly #folder: string;
  readonly #binaries: Binaries;
  readonly #settings: Record<string, string>;
  #child: ChildProcess | undefined;

  constructor(folder: string, binaries: Binaries, port: number, settings: Record<string, string>) {
    this.#folder = folder;
    this.#binaries = binaries;
    this.port = port;
    this.#settings = settings;
  }

  async start(): Promise<void> {
    // A log instead of a pipe: a server must not wait until someone reads its output.
    const log = openSync(this.#log, 'a');
    const settings = Object.entries({ ...this.#settings, port: String(this.port) });
    this.#child = spawn(
      this.#binaries.postgres,
      ['-D', this.#data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...this.#binaries.account, stdio: ['ignore', log, log], env: serverEnv() },
    );
    closeSync(log);
    if (this.#child.pid !== undefined) STARTED.add(this.#child.pid);
    for (const until = Date.now() + 60_000; ; await sleep(20)) {
      if (await this.#answers()) return;
      if (this.#child.exitCode !== null || Date.now() > until) {
        throw new Error(`Postgres did not start: ${readFileSync(this.#log, 'utf8').slice(-2000)}`);
      }
    }
  }

  async createDatabase(template = 'template1', called?: string): Promise<string> {
    databases += 1;
    const name = called ?? `test_${process.pid}_${databases}`;
    // Copies files as they are, rather than page by page through the write-ahead log, in a third of the time.
    await this.#query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
    return this.#url(name);
  }

  async kill(): Promise<void> {
    if (!this.#isRunning) return;
    // It can't start children any more: a survivor would go on answering.
    killQuietly(this.pid, 'SIGSTOP');
    const pids = [...this.#children(), this.pid];
    await this.#end('SIGKILL', pids);
    // Another server isn't allowed to use their memory until the last of them is gone.
    for (const until = Date.now() + 10_000; pids.some(runs); await sleep(5)) {
      if (Date.now() > until) throw new Error('Postgres did not end');
    }
    rmSync(join(this.#data, 'postmaster.pid'), { force: true });
  }

  freeze(): void {
    // It can't start children any more: a forgotten one would go on answering.
    killQuietly(this.pid, 'SIGSTOP');
    for (const pid of this.#children()) killQuietly(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of [...this.#children(), this.pid]) killQuietly(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT', [this.pid]);
  }

  async addStandby(): Promise<Standby> {
    const folder = makeFolder();
    const data = join(folder, 'data');
    const client = await this.#connect();
    await client.query(`SELECT pg_backup_start('standby', true)`);
    cpSync(this.#data, data, { recursive: true, filter: (path) => !/postmaster\./.test(path) });
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    await client.end();
    writeFileSync(join(data, 'backup_label'), String(rows[0]?.labelfile));
    writeFileSync(join(data, 'standby.signal'), '');
    const { account } = this.#binaries;
    if (account !== undefined) chownAll(data, account.uid, account.gid);
    chmodSync(data, 0o700);
    const standby = new Server(folder, this.#binaries, await freePort(), {
      ...this.#settings,
      primary_conninfo: `host=127.0.0.1 port=${this.port} user=${USER}`,
    });
    await standby.start();
    return standby;
  }

  urlOf(url: string): string {
    return this.#url(new URL(url).pathname.slice(1));
  }

  async promote(): Promise<void> {
    await this.#query('SELECT pg_promote()');
  }

  async remove(): Promise<void> {
    if (this.#isRunning) {
      this.thaw();
      // Unlike one that is killed, it takes its share of the machine's memory away.
      await this.#end('SIGQUIT', [this.pid]);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  get #log(): string {
    return join(this.#folder, 'log');
  }

  get #isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    if (this.#child?.pid === undefined || !this.#isRunning) throw new Error('it is not running');
    return this.#child.pid;
  }

  #url(database: string): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  #children(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => processOf(pid)?.parent === this.pid);
  }

  async #end(signal: NodeJS.Signals, pids: readonly number[]): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.#isRunning) return;
    const ended = once(child, 'exit');
    for (const pid of pids) killQuietly(pid, signal);
    await ended;
    STARTED.delete(child.pid ?? 0);
  }

  async #connect(connectionTimeoutMillis = 60_000): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url('postgres'),
      connectionTimeoutMillis,
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async #query(text: string, connectMs?: number): Promise<void> {
    const client = await this.#connect(connectMs);
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  }

  async #answers(): Promise<boolean> {
    try {
      await this.#query('SELECT 1', 2_000);
      return true;
    } catch {
      return false;
    }
  }
}

/** A process's state: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function processOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before them may contain anything.
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** Whether there is such a process, and it isn't a zombie. */
function runs(pid: number): boolean {
  return !/^[ZX]?$/.test(processOf(pid)?.state ?? '');
}

function killQuietly(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // It has ended on its own meanwhile.
  }
}

function chownAll(folder: string, uid: number, gid: number): void {
  chownSync(folder, uid, gid);
  for (const path of readdirSync(folder, { recursive: true })) {
    chownSync(join(folder, String(path)), uid, gid);
  }
}
