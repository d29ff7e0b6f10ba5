// What the compiler does not see: promises nobody waits for, any where a type belongs, == and the like.
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {ignores: ['node_modules', 'screenshots', 'page.html']},
  {
    files: ['src/**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {parserOptions: {projectService: true, tsconfigRootDir: import.meta.dirname}},
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': ['error', {destructuring: 'all'}],
      'no-implicit-coercion': ['error', {boolean: false}],
      '@typescript-eslint/consistent-type-imports': ['error', {fixStyle: 'inline-type-imports'}],
      '@typescript-eslint/no-shadow': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'off', // index signatures are not checked
      '@typescript-eslint/no-non-null-assertion': 'off', // elements of our own page
      '@typescript-eslint/prefer-for-of': 'off',
      '@typescript-eslint/class-literal-property-style': 'off',
    },
  },
  {files: ['**/*.mjs'], rules: {eqeqeq: 'error', 'no-var': 'error', 'prefer-const': ['error', {destructuring: 'all'}]}},
);
