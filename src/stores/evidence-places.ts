import { IMPORT } from '#core/scoring/model';
import { sortable } from '#core/scoring/reading/place';

/** The place of an event of a chain as it is kept: events of all heights in the order of their texts. */
export function keptPlace(height: number, place: string): string {
  return `${sortable(height)}.${place}`;
}

/** The place within its height, of a kept one. */
export function shownPlace(source: string, kept: string): string {
  return source === IMPORT ? kept : kept.slice(kept.indexOf('.') + 1);
}
