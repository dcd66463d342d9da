import { dayOf, parseTime } from '#base';
import { compareAddresses, ScoreDigest } from '#scoring/digest';
import { IMPORT } from '#scoring/model';
import { inputKey, type SourceEnds } from '#scoring/score-versions/ends';
import type { Evaluation } from '#scoring/score-versions/evaluation';
import type { StoredEvent, StoredRules } from '#scoring/score-versions/score-version';
import type { Wallet } from '#wallet';
import {
  type ActivityLine,
  type CheckpointLine,
  type EndLine,
  type EventLine,
  FORMAT,
  type HeaderLine,
  ProofFault,
  type ProofLine,
  proofFaultOf,
  type ResultLine,
  type TextLine,
} from './format.ts';
import { beyondEnd, differenceOf, resultOf } from './result.ts';
import { compareKept, type RunningSha256, totalsOf } from './write.ts';

/** Maximum characters of the rules with all lists. */
const TEXTS_MAX = 128 * 1024 * 1024;
/** Maximum events of a wallet, as all of them are held in memory. */
const EVENTS_MAX = 1_000_000;

/** What a file was computed by. */
export interface ProofSubject {
  readonly rules: StoredRules;
  readonly asOf: number;
  readonly ends: SourceEnds;
}

export interface ProofCheckOptions {
  readonly sha256: () => RunningSha256;
  /** @throws ProofFault if the rules can't be read, or don't have the stated hash */
  readonly read: (rules: StoredRules) => Evaluation;
  /** @returns the wallet of a canonical address; undefined for anything else */
  readonly walletOf: (address: string) => Wallet | undefined;
}

interface CheckedSubject extends ProofSubject {
  readonly evaluation: Evaluation;
  readonly beyondEnd: ReturnType<typeof beyondEnd>;
}

/** The wallet being read. */
interface OpenWallet {
  readonly wallet: Wallet;
  readonly events: StoredEvent[];
  /** Imported evidence, by event and source. */
  readonly imported: Set<string>;
  points: number;
  count: number;
  lastId: string;
}

/** Computes what an evidence file states, line by line, holding one wallet at a time. */
export class ProofCheck {
  readonly #options: ProofCheckOptions;
  readonly #digest: ScoreDigest;
  #header: HeaderLine | undefined;
  #text = '';
  #textLength = 0;
  readonly #lists: Record<string, string> = {};
  #subject: CheckedSubject | undefined;
  #open: OpenWallet | undefined;
  #last = '';
  #end: EndLine | undefined;
  readonly #counts = { events: 0, activities: 0, wallets: 0 };

  constructor(options: ProofCheckOptions) {
    this.#options = options;
    this.#digest = new ScoreDigest(options.sha256());
  }

  /** The last line, once it's been read. */
  get end(): EndLine | undefined {
    return this.#end;
  }

  get subject(): ProofSubject | undefined {
    return this.#subject;
  }

  /** @param number of the line, from 1. @throws ProofFault */
  take(line: Exclude<ProofLine, CheckpointLine>, number: number): void {
    if (this.#end !== undefined) throw new ProofFault('nothing may come after the end.', number);
    if (this.#header === undefined && line.kind !== 'header') {
      throw new ProofFault('the file has no header.', number);
    }
    switch (line.kind) {
      case 'header':
        this.#begin(line, number);
        break;
      case 'rules':
      case 'list':
        this.#addText(line, number);
        break;
      case 'event':
        this.#addEvent(line, number);
        break;
      case 'activity':
        this.#addActivity(line, number);
        break;
      case 'result':
        this.#checkResult(line, number);
        break;
      case 'end':
        this.#conclude(line, number);
        break;
    }
  }

  #begin(line: HeaderLine, number: number): void {
    if (this.#header !== undefined) throw new ProofFault('there is a header already.', number);
    if (line.format !== FORMAT) {
      throw new ProofFault(
        `format ${line.format} is unknown to this version of Fathom, which reads ${FORMAT}.`,
        number,
      );
    }
    this.#header = line;
  }

  #addText(line: TextLine, number: number): void {
    if (this.#subject !== undefined) throw new ProofFault('rules come before wallets.', number);
    this.#textLength += line.text.length;
    if (this.#textLength > TEXTS_MAX) throw new ProofFault('the rules are too long.', number);
    if (line.kind === 'rules') this.#text += line.text;
    else if (line.path === '__proto__')
      throw new ProofFault("there's no list of this name.", number);
    else this.#lists[line.path] = (this.#lists[line.path] ?? '') + line.text;
  }

  #rules(number: number) {
    if (this.#subject !== undefined) return this.#subject;
    const { rules, asOf, ends, sound } = this.#header as HeaderLine;
    const kept = { ...rules, text: this.#text, lists: this.#lists };
    const seconds = parseTime(asOf) ?? 0;
    const known: SourceEnds = {
      positions: new Map(ends.map(({ source, ...position }) => [source, position])),
      sound: new Set(sound.map(({ source, input }) => inputKey(source, input))),
    };
    try {
      const evaluation = this.#options.read(kept);
      this.#subject = {
        ...{ rules: kept, evaluation, asOf: dayOf(seconds), ends: known },
        beyondEnd: beyondEnd(evaluation, known),
      };
    } catch (error) {
      if (error instanceof ProofFault) throw proofFaultOf(error, error.message, number);
      throw error;
    }
    return this.#subject;
  }

  #addEvent(line: EventLine, number: number): void {
    const { address, source, input, height, place, time } = line;
    const fault = this.#rules(number).beyondEnd(line);
    if (fault !== undefined) throw new ProofFault(fault, number);
    const open = this.#walletAt(address, number);
    if (open.count > 0) throw new ProofFault('events come before activities.', number);
    if (source === IMPORT && height !== time) {
      throw new ProofFault('the height of an imported event is its time.', number);
    }
    const event = { source, input, height, place, time, args: JSON.stringify(line.args) };
    const before = open.events.at(-1);
    const order = before === undefined ? -1 : compareKept(before, event);
    if (order > 0) throw new ProofFault('the event is out of order.', number);
    // Imports at different times may contain the same event.
    const name = source === IMPORT ? JSON.stringify([input, place]) : undefined;
    if (order === 0 && before !== undefined) throw twice(number);
    if (name !== undefined && open.imported.has(name)) throw twice(number);
    if (name !== undefined) open.imported.add(name);
    if (open.events.length >= EVENTS_MAX) {
      throw new ProofFault(`a wallet has more than ${EVENTS_MAX} events.`, number);
    }
    open.events.push(event);
    this.#counts.events += 1;
  }

  #addActivity({ address, id, points }: ActivityLine, number: number): void {
    const open = this.#walletAt(address, number);
    if (id <= open.lastId)
      throw new ProofFault('the activity is a duplicate or out of order.', number);
    open.lastId = id;
    open.points += points;
    open.count += 1;
    this.#counts.activities += 1;
  }

  #walletAt(address: string, number: number): OpenWallet {
    if (this.#open?.wallet.address === address) return this.#open;
    this.#leave(number);
    if (compareAddresses(this.#last, address) >= 0) {
      throw new ProofFault(`wallet ${address.slice(0, 80)} is out of order.`, number);
    }
    const wallet = this.#options.walletOf(address);
    if (wallet === undefined) {
      throw new ProofFault(`"${address.slice(0, 80)}" isn't a canonical address.`, number);
    }
    this.#open = {
      ...{ wallet, events: [], imported: new Set(), points: 0, count: 0, lastId: '' },
    };
    return this.#open;
  }

  /** A wallet without a result has no activity. */
  #leave(number: number): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#compare(open, undefined, number);
    this.#last = open.wallet.address;
    this.#open = undefined;
  }

  #checkResult(line: ResultLine, number: number): void {
    const open = this.#walletAt(line.address, number);
    this.#compare(open, line, number);
    this.#digest.add(line.address, line.score);
    this.#counts.wallets += 1;
    this.#last = line.address;
    this.#open = undefined;
  }

  #compare(
    { wallet, events, points, count }: OpenWallet,
    said: ResultLine | undefined,
    number: number,
  ): void {
    const { asOf, ends, evaluation } = this.#rules(number);
    const totals = totalsOf(evaluation, { number: 0, wallet, events }, asOf, ends);
    const computed = resultOf(wallet.address, { imported: { points, count }, ...totals });
    const difference = differenceOf(wallet.address, computed, said);
    if (difference !== undefined) throw new ProofFault(difference, number);
  }

  #conclude(line: EndLine, number: number): void {
    this.#rules(number);
    this.#leave(number);
    for (const what of ['events', 'activities', 'wallets'] as const) {
      if (line[what] !== this.#counts[what]) {
        throw new ProofFault(
          `the file has ${this.#counts[what]} ${what}, but its end says ${line[what]}.`,
          number,
        );
      }
    }
    const digest = this.#digest.hex();
    if (line.digest !== digest) {
      throw new ProofFault(`the digest is ${digest}, but the file says ${line.digest}.`, number);
    }
    this.#end = line;
  }
}

function twice(number: number): ProofFault {
  return new ProofFault('the event is in the file twice.', number);
}
