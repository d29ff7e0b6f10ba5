// node build.mjs PAGE.html PAGE.cpp
//
// Bundles src/ into one HTML file without any reference to the outside, and the same as a C++ source.
import {build} from 'esbuild';
import {readFile, writeFile} from 'node:fs/promises';

const [htmlFile, cppFile] = process.argv.slice(2);
if (!htmlFile) throw new Error('usage: node build.mjs PAGE.html [PAGE.cpp]');

const options = {bundle: true, minify: true, write: false, logLevel: 'warning', charset: 'ascii'};
const script = await build({...options, entryPoints: ['src/main.ts'], format: 'iife', target: 'es2021',
                            legalComments: 'eof'});
const style = await build({...options, entryPoints: ['src/style.css'], charset: 'utf8'});
const page = await readFile('src/page.html', 'utf8');
const insert = (html, mark, text) => {
  const parts = html.split(mark);
  if (parts.length !== 2) throw new Error(`src/page.html must hold ${mark} once`);
  return parts.join(text);
};
const code = script.outputFiles[0].text;
if (/<\/script|<!--|@ULNA_/i.test(code)) throw new Error('the bundle would end its own script element');
const html = insert(insert(page, '/*STYLE*/', style.outputFiles[0].text), '/*SCRIPT*/', code);
await writeFile(htmlFile, html);

if (cppFile) {
  // Raw strings in pieces, which the compiler joins; some compilers limit the length of one.
  const pieces = html.match(/[^]{1,16000}/g).map((piece) => `R"ulna_page(${piece})ulna_page"`);
  await writeFile(cppFile, `#include "page/page.hpp"\n\nnamespace ulna {\n\nconst char page_template[] =\n` +
                           `${pieces.join('\n')};\n\n}  // namespace ulna\n`);
}
