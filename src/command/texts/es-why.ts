import type { enWhy } from './en-why.ts';

export const esWhy: typeof enWhy = {
  whyScore: {
    title: (wallet) => `${wallet} · Por qué`,
    byRules: 'Por reglas',
    imported: 'Importados',
    rules: 'Puntos por regla',
    evidence: 'Actividad más reciente',
    noRules: 'Aquí no hay reglas vigentes: todos los puntos se importaron.',
    nothingGiven: 'Ninguna regla le ha dado puntos a esta cartera.',
    floored: (sum) => `Los puntos suman ${sum}, pero una puntuación nunca baja de 0.`,
    events: (count, shown) => `${shown} ${count === 1 ? 'evento' : 'eventos'}`,
    newest: 'el último',
    capped: (points) => `${points} retenidos por el tope`,
    discounted: (points) => `${points} retenidos por descuentos`,
    decayed: (points) => `${points} perdidos por la semivida`,
    otherRules: (count, shown) =>
      count === 1 ? `de ${shown} regla más` : `de otras ${shown} reglas`,
  },
  ledger: {
    halfLife: (days, rule) => `Semivida de ${days}: ${rule}`,
    restored: (discounts, rule) => `Ya no se retiene (${discounts}): ${rule}`,
    cap: (points, worth) => `tope alcanzado: ${points} de ${worth}`,
    limit: (most, points, worth) =>
      `límite de ${most} puntos por regla alcanzado: ${points} de ${worth}`,
    retracted: (reason) => `retirado: ${reason}`,
    discount: (id, percent) => `${id}: ${percent}`,
  },
  explorer: { transaction: 'Transacción', proposal: 'Propuesta' },
};
