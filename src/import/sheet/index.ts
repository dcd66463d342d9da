/** Reads tables of people: guesses what the columns mean and turns rows into events. */

export { type DateOrder, parseCellTime } from './cell-time.ts';
export { cellAddress, shownCell } from './cells.ts';
export { guessColumns, type SheetGuess } from './guess.ts';
export { nameKey, type SheetPlan, type SheetRow, type SourcePart } from './plan.ts';
export { createRowReader, timeZone } from './row.ts';
export { type SheetSurvey, surveyRows } from './survey.ts';
