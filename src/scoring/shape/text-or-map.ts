import type { Shape } from './shape.ts';

/** A plain value, or a map with more detail. */
export function textOrMap<A, B>(plain: Shape<A>, map: Shape<B>): Shape<A | B> {
  return {
    accepts: `${plain.accepts}, or ${map.accepts}`,
    schema: { anyOf: [plain.schema, map.schema] },
    parts: map.parts ?? [],
    read(node, path, faults) {
      return node.kind === 'map' ? map.read(node, path, faults) : plain.read(node, path, faults);
    },
  };
}
