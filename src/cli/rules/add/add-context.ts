import type { WalletParser } from '#wallet';
import type { RuleAnswers } from './answers.ts';
import type { ChosenSource } from './choose-source.ts';

/** What rules are added with. */
export interface AddContext {
  readonly answers: RuleAnswers;
  readonly wallets: WalletParser;
  /** The value of an environment variable. */
  readonly variable: (name: string) => string | undefined;
  /** No node is to be asked. */
  readonly isOffline?: boolean;
  /**
   * Called with a source that the file hasn't had before its nodes are asked anything.
   * @returns the variables of all its nodes, where somebody has just named them
   */
  readonly onNewSource: (source: ChosenSource) => Promise<readonly string[]>;
  /** Shows something to people. */
  readonly say: (text: string) => void;
  readonly wanted: Readonly<Record<'id' | 'source' | 'chain', string | undefined>>;
}
