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
  /** Of an imported event: whatever the line contains. */
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
