/** Reads tables of people: guesses what the columns mean and turns rows into events. */

export { cellAddress, type DateOrder, parseCellTime, shownCell } from './cells.ts';
export {
  createRowReader,
  nameKey,
  type SheetPlan,
  type SheetRow,
  type SourcePart,
  timeZone,
} from './row.ts';
export { guessColumns, type SheetGuess, type SheetSurvey, surveyRows } from './survey.ts';
