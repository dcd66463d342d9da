/** What a command is made of: neutral cards, arguments, accounts, callers. */

export { type Account, accountIdIn, accountKey, type Profile, WEB } from './account.ts';
export { readNamed } from './arguments.ts';
export { CALL_CODE_MAX, decodeCall, encodeCall } from './call-code.ts';
export type { Caller } from './caller.ts';
export { layBars, steps } from './cards/bars.ts';
export {
  type Action,
  type Bar,
  type Block,
  type Call,
  type Card,
  type CardEntry,
  type CardFile,
  type CardPicture,
  type DrawPicture,
  type Fact,
  FILE_MAX,
  type Form,
  type Menu,
  pictureOn,
  type Span,
} from './cards/card.ts';
export {
  contrastOf,
  hexColourOf,
  luminanceOf,
  nearestThatStandsOut,
  type Rgb,
  rgbOf,
  standsOut,
} from './cards/contrast.ts';
export { rankText, shareOf, topText } from './cards/figures.ts';
export { noteCard } from './cards/note-card.ts';
export { secretCard } from './cards/secret-card.ts';
export { layTable } from './cards/table.ts';
export { lowestOf, type TierProgress, tierProgress } from './cards/tier-progress.ts';
export { colourOf, EMBLEMS, tierLabel } from './cards/tone.ts';
export type {
  ArgumentsOf,
  CommandSpec,
  OptionSpec,
  Subcommands,
  ValueSuggestion,
} from './command-spec.ts';
export { folded, optionsFor } from './typed/option-words.ts';
export { shownWord, sortWords } from './typed/sort-words.ts';
export type { Mention } from './typed/words.ts';
