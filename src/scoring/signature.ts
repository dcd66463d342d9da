/** What a rule can do with an event's argument. */
export type ArgumentKind =
  | 'address'
  | 'integer'
  | 'boolean'
  | 'text'
  /** 0x and lower-case hex digits. */
  | 'bytes'
  /** An indexed string, list or tuple of an EVM event: the log only has its hash. */
  | 'hash'
  /** A list or a tuple, which rules can't use. */
  | 'composite'
  /** An argument of an imported event: whatever the line contains. */
  | 'any';

/** An event's argument, as declared in its signature. */
export interface Argument {
  /** Absent if the signature gives none. */
  readonly name: string | undefined;
  /** In its canonical spelling: `uint256`, not `uint`. */
  readonly type: string;
  readonly kind: ArgumentKind;
  readonly isIndexed: boolean;
  /** The largest value of an integer. */
  readonly max: bigint | undefined;
}

/** An event or a method by its name and arguments. */
export interface Signature {
  readonly name: string;
  readonly args: readonly Argument[];
  /** The canonical text that selectors are hashed from: `Transfer(address,address,uint256)`. */
  readonly text: string;
}

/** An argument by its name in rules, or by its position from 0. */
export function argumentNamed(args: readonly Argument[], name: string): Argument | undefined {
  const named = args.find((each) => each.name === name);
  if (named !== undefined || !/^\d+$/.test(name)) return named;
  const placed = args[Number(name)];
  return placed?.name === undefined ? placed : undefined;
}

/** The arguments' names, for messages. */
export function argumentNames(args: readonly Argument[]): string[] {
  return args.map(({ name }, place) => name ?? String(place));
}

/** What a type means in one of the two signature languages. */
type TypeOf = (name: string) => Pick<Argument, 'type' | 'kind' | 'max'> & {
  readonly isDynamic: boolean;
  /** The only place that it can have; undefined: anywhere. */
  readonly onlyAs?: 'argument' | 'return';
};

/** For rules accepted earlier: what was found since to be no signature is none, but doesn't make them invalid. */
export interface SignatureOptions {
  readonly isKept?: boolean;
}

/** An invalid signature; the message says why. */
export class SignatureFault extends Error {
  override readonly name = 'SignatureFault';
}

const TOKENS = /\s*([A-Za-z_$][A-Za-z0-9_$]*|[()[\],]|\d+)/y;
/** Maximum depth of nested tuples, more than any real event has. */
const DEEPEST = 8;
const MOST_ARGUMENTS = 64;

interface Parsed {
  readonly type: string;
  readonly kind: Argument['kind'];
  readonly max: bigint | undefined;
  readonly isDynamic: boolean;
}

interface Grammar extends SignatureOptions {
  /** Resolves elementary types, and throws SignatureFault for any other. */
  readonly typeOf: TypeOf;
  readonly mayBeIndexed: boolean;
  /** Whether a return type follows the arguments. */
  readonly returns: boolean;
  /** The shortest list of a fixed length. */
  readonly shortest: bigint;
}

/** Parses `Name(type [indexed] [name], …)`. @throws SignatureFault */
function parseSignature(text: string, grammar: Grammar): Signature {
  return new SignatureParser(text, grammar).signature();
}

class SignatureParser {
  readonly #tokens: readonly string[];
  readonly #grammar: Grammar;
  #at = 0;

  constructor(text: string, grammar: Grammar) {
    this.#tokens = tokensOf(text);
    this.#grammar = grammar;
  }

  signature(): Signature {
    const name = this.#next();
    if (!isWord(name)) throw new SignatureFault('it begins with the name of the event');
    this.#expect('(');
    const args = this.#arguments();
    const returned = this.#grammar.returns ? this.#type(0, 'return').type : '';
    const rest = this.#peek();
    if (rest !== undefined) throw new SignatureFault(`unexpected ${shown(rest)} at the end`);
    refuseRepeated(args);
    return { name, args, text: `${name}(${args.map((each) => each.type).join(',')})${returned}` };
  }

  #arguments(): Argument[] {
    const args: Argument[] = [];
    while (this.#peek() !== ')') {
      if (args.length > 0) this.#expect(',');
      if (args.length === MOST_ARGUMENTS) throw new SignatureFault('it has too many arguments');
      args.push(this.#argument());
    }
    this.#next();
    return args;
  }

  #argument(): Argument {
    const { type, kind, max, isDynamic } = this.#type(0, 'argument');
    const isIndexed = this.#grammar.mayBeIndexed && this.#peek() === 'indexed';
    if (isIndexed) this.#next();
    const name = isWord(this.#peek()) ? this.#next() : undefined;
    const isHash = isIndexed && (isDynamic || kind === 'composite');
    return { name, type, kind: isHash ? 'hash' : kind, isIndexed, max };
  }

  #type(depth: number, place?: 'argument' | 'return'): Parsed {
    if (depth > DEEPEST) throw new SignatureFault('tuples are nested too deeply');
    const first = this.#next();
    if (first === '(') return this.#listsOf(this.#tuple(depth));
    if (first === 'tuple' && this.#peek() === '(') {
      this.#next();
      return this.#listsOf(this.#tuple(depth));
    }
    if (isWord(first)) return this.#listsOf(this.#elementary(first, place));
    throw new SignatureFault(`expected a type, found ${shown(first)}`);
  }

  /** What follows the opening parenthesis. */
  #tuple(depth: number): Parsed {
    const { isKept = false, shortest } = this.#grammar;
    const parts: Parsed[] = [];
    while (this.#peek() !== ')') {
      if (parts.length > 0) this.#expect(',');
      parts.push(this.#type(depth + 1));
      if (isWord(this.#peek())) this.#next();
    }
    this.#next();
    if (!isKept && parts.length === 0 && shortest > 0n) {
      throw new SignatureFault("a tuple can't be empty");
    }
    return {
      type: `(${parts.map((part) => part.type).join(',')})`,
      kind: 'composite',
      max: undefined,
      isDynamic: parts.some((part) => part.isDynamic),
    };
  }

  #elementary(name: string, place: 'argument' | 'return' | undefined): Parsed {
    const { isKept = false, typeOf } = this.#grammar;
    const { onlyAs, ...known } = typeOf(name);
    if (!isKept && onlyAs !== undefined && (onlyAs !== place || this.#peek() === '[')) {
      throw new SignatureFault(`"${name}" can't be here`);
    }
    return known;
  }

  /** A type with the lengths of lists that follow it: `uint8[2][]`. */
  #listsOf(element: Parsed): Parsed {
    const { isKept = false, shortest } = this.#grammar;
    let parsed = element;
    while (this.#peek() === '[') {
      this.#next();
      const size = /^\d+$/.test(this.#peek() ?? '') ? (this.#next() ?? '') : '';
      if (!isKept && !isLength(size, shortest)) {
        throw new SignatureFault(`a list can't have the length "${size}"`);
      }
      this.#expect(']');
      const isDynamic = size === '' || parsed.isDynamic;
      parsed = { type: `${parsed.type}[${size}]`, kind: 'composite', max: undefined, isDynamic };
    }
    return parsed;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #next(): string | undefined {
    return this.#tokens[this.#at++];
  }

  #expect(token: string): void {
    const got = this.#next();
    if (got !== token) throw new SignatureFault(`expected "${token}", found ${shown(got)}`);
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKENS.lastIndex = 0;
  while (text.slice(TOKENS.lastIndex).trim() !== '') {
    const from = TOKENS.lastIndex;
    const [, token] = TOKENS.exec(text) ?? [];
    if (token === undefined) {
      throw new SignatureFault(`it can't hold ${JSON.stringify(text.slice(from).trim()[0])}`);
    }
    tokens.push(token);
  }
  return tokens;
}

/** @param size digits; '' for a list of any length */
function isLength(size: string, shortest: bigint): boolean {
  return size === '' || (/^(0|[1-9]\d{0,17})$/.test(size) && BigInt(size) >= shortest);
}

function isWord(token: string | undefined): token is string {
  return token !== undefined && /^[A-Za-z_$]/.test(token);
}

function shown(token: string | undefined): string {
  return token === undefined ? 'the end' : `"${token}"`;
}

function refuseRepeated(args: readonly Argument[]): void {
  const names = args.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new SignatureFault(`two arguments are called "${twice}"`);
}

const SOLIDITY_INTEGER = /^(u?)int(\d*)$/;
const BYTES = /^bytes(\d+)$/;
/** Topics of a log, apart from the one that identifies the event. */
const INDEXED_MOST = 3;

/**
 * Parses a Solidity event: `Transfer(address indexed from, address indexed to, uint256 value)`.
 * Source: https://docs.soliditylang.org/en/latest/abi-spec.html#events
 * @throws SignatureFault
 */
export function parseSolidityEvent(text: string, options: SignatureOptions = {}): Signature {
  const signature = parseSignature(text, {
    ...options,
    ...{ typeOf: solidityType, mayBeIndexed: true, returns: false, shortest: 1n },
  });
  if (signature.args.filter(({ isIndexed }) => isIndexed).length > INDEXED_MOST) {
    throw new SignatureFault(`an event has at most ${INDEXED_MOST} indexed arguments`);
  }
  return signature;
}

const solidityType: TypeOf = (name) => {
  if (name === 'address') return fixed(name, 'address');
  if (name === 'bool') return fixed(name, 'boolean');
  if (name === 'string') return { ...fixed(name, 'text'), isDynamic: true };
  if (name === 'bytes') return { ...fixed(name, 'bytes'), isDynamic: true };
  const [, unsigned, bitsText] = SOLIDITY_INTEGER.exec(name) ?? [];
  if (bitsText !== undefined) {
    const bits = bitsText === '' ? 256 : Number(bitsText);
    if (bits >= 8 && bits <= 256 && bits % 8 === 0 && String(bits) === (bitsText || '256')) {
      const max = 2n ** BigInt(unsigned === 'u' ? bits : bits - 1) - 1n;
      return { ...fixed(`${unsigned}int${bits}`, 'integer'), max };
    }
  }
  const [, size] = BYTES.exec(name) ?? [];
  if (size !== undefined && /^([1-9]|[12]\d|3[0-2])$/.test(size)) return fixed(name, 'bytes');
  throw new SignatureFault(`there is no type "${name}" in Solidity`);
};

function fixed(type: string, kind: 'address' | 'boolean' | 'text' | 'bytes' | 'integer') {
  return { type, kind, max: undefined, isDynamic: false };
}

const ARC4_INTEGER = /^uint(\d+)$/;
const FIXED_POINT = /^ufixed(\d+)x(\d+)$/;
const DECIMALS_MOST = 160;
/** Arguments that refer to something in the transaction group and have no value of their own. */
const REFERENCES = new Set([
  ...['account', 'asset', 'application'],
  ...['txn', 'pay', 'keyreg', 'acfg', 'axfer', 'afrz', 'appl'],
]);

/**
 * Parses an ARC-28 event: `Vote(address,uint32,uint64)`, with or without names. Source:
 * https://dev.algorand.co/arc-standards/arc-0028/
 * @throws SignatureFault
 */
export function parseArc28Event(text: string, options: SignatureOptions = {}): Signature {
  const typeOf: TypeOf = (name) => {
    if (!options.isKept && REFERENCES.has(name)) {
      throw new SignatureFault(`"${name}" refers to something in a call, so no event has it`);
    }
    return arc4Type(name, options);
  };
  return parseSignature(text, { ...options, ...ARC4, typeOf, returns: false });
}

/**
 * Parses an ABI method with its return type: `vote(uint64,address)void`. Source:
 * https://dev.algorand.co/arc-standards/arc-0004/
 * @throws SignatureFault
 */
export function parseArc4Method(text: string, options: SignatureOptions = {}): Signature {
  const typeOf: TypeOf = (name) => arc4Type(name, options);
  return parseSignature(text, { ...options, ...ARC4, typeOf, returns: true });
}

const ARC4 = { mayBeIndexed: false, shortest: 0n };

function arc4Type(name: string, { isKept = false }: SignatureOptions): ReturnType<TypeOf> {
  if (name === 'address') return { type: name, kind: 'address', max: undefined, isDynamic: false };
  if (name === 'bool') return { type: name, kind: 'boolean', max: undefined, isDynamic: false };
  if (name === 'string') return { type: name, kind: 'text', max: undefined, isDynamic: true };
  if (name === 'byte') return { type: name, kind: 'integer', max: 255n, isDynamic: false };
  const [, bitsText = ''] = ARC4_INTEGER.exec(name) ?? [];
  const bits = Number(bitsText);
  if (isWidth(bitsText)) {
    return { type: name, kind: 'integer', max: 2n ** BigInt(bits) - 1n, isDynamic: false };
  }
  const opaque = { type: name, kind: 'composite' as const, max: undefined, isDynamic: false };
  if (REFERENCES.has(name)) return { ...opaque, onlyAs: 'argument' };
  if (name === 'void') return { ...opaque, onlyAs: 'return' };
  const [isFixedPoint, width = '', decimals = ''] = FIXED_POINT.exec(name) ?? [];
  if (isFixedPoint && (isKept || (isWidth(width) && isCount(decimals, DECIMALS_MOST)))) {
    return opaque;
  }
  throw new SignatureFault(`there is no type "${name}" in the ABI of Algorand`);
}

function isWidth(bits: string): boolean {
  return isCount(bits, 512) && Number(bits) % 8 === 0;
}

/** Whether digits are a number from 1, written as encoders do. */
function isCount(digits: string, most: number): boolean {
  return /^[1-9]\d{0,2}$/.test(digits) && Number(digits) <= most;
}
