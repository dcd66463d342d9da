/** What a rule can do with an argument of an event. */
export type ArgumentKind =
  | 'address'
  | 'integer'
  | 'boolean'
  | 'text'
  /** Hex digits behind 0x, in lower case. */
  | 'bytes'
  /** An indexed text, list or tuple of an EVM event: the log has its hash alone. */
  | 'hash'
  /** A list or a tuple, which no rule can use. */
  | 'composite'
  /** Of an imported event: whatever the line says. */
  | 'any';

/** An argument of an event, as its signature declares it. */
export interface Argument {
  /** Absent where the signature gives none. */
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

/** An argument by the name that rules call it by, or by its place from 0. */
export function argumentNamed(args: readonly Argument[], name: string): Argument | undefined {
  const named = args.find((each) => each.name === name);
  if (named !== undefined || !/^\d+$/.test(name)) return named;
  const placed = args[Number(name)];
  return placed?.name === undefined ? placed : undefined;
}

/** What the arguments are called, for messages. */
export function argumentNames(args: readonly Argument[]): string[] {
  return args.map(({ name }, place) => name ?? String(place));
}
