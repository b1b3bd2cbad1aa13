import { runExplain } from './explain.ts';

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
process.exitCode = await runExplain(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
});
