/** Values inside values beyond this are not decoded: whoever nests deeper wants to see a stack overflow. */
export const VALUE_DEPTH_MAX = 32
