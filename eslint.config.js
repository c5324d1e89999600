// One linter for the tree: typed rules at their strictest, formatting left to Prettier.
import js from '@eslint/js'
import tseslint from 'typescript-eslint'
import reactHooks from 'eslint-plugin-react-hooks'

export default tseslint.config(
  // AssemblyScript has the syntax of TypeScript and other types; its compiler checks it.
  // main-cpu.mjs is loaded into a built server, without TypeScript.
  { ignores: ['dist', 'node_modules', 'coverage', 'src/wire/assembly', 'bench/limits/main-cpu.mjs'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      // A template of a number is a text, and the types already say it is a number.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Index loops over typed arrays are how hot code is written here; `!` states what the loop's bound proves.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      'no-console': 'error',
    },
  },
  {
    files: ['src/web/**', 'test/web/**'],
    // Only the program that a file is part of: all types of both at once need more memory than Node gives a process.
    languageOptions: { parserOptions: { project: './src/web/tsconfig.json' } },
  },
  { files: ['src/web/**', 'test/web/**'], ...reactHooks.configs.flat.recommended },
  {
    // Tool configurations must have a default export; command-line files and benchmarks print.
    files: ['*.config.*', 'src/web/vite.config.ts', 'src/cli/**', 'src/main.ts', 'bench/**', 'scripts/**'],
    rules: { 'no-restricted-exports': 'off', 'no-console': 'off' },
  },
  { files: ['**/*.js'], ...tseslint.configs.disableTypeChecked },
)
