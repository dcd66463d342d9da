import type { RoleTexts } from './en-roles.ts';

/** What servers may ask for in Discord's Linked Roles, in Spanish. */
export const esRoles: RoleTexts = {
  roles: {
    score: { name: 'Puntos', about: 'Puntos de la mejor cartera vinculada, como mínimo' },
    tier: {
      name: 'Nivel',
      about: 'Como mínimo: 1 Camarón, 2 Delfín, 3 Tiburón, 4 Ballena, 5 Titán',
    },
    rank: {
      name: 'Puesto',
      about: 'Puesto entre todas las carteras, como máximo: 100 para las cien primeras',
    },
    badges: { name: 'Insignias', about: 'Insignias de una cartera vinculada, como mínimo' },
    linked: {
      name: 'Cartera vinculada',
      about: 'Días desde que se vinculó la cartera más antigua',
    },
  },
};
