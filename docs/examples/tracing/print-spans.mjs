// Prints the spans of a process: node --import ./print-spans.mjs …
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

const milliseconds = ([seconds, nanoseconds]) => seconds * 1e3 + nanoseconds / 1e6;

/** One line for each span; a child ends, and is printed, before its parent. */
const printer = {
  export(spans, done) {
    for (const { name, duration, attributes, status, parentSpanContext } of spans) {
      const indent = parentSpanContext === undefined || parentSpanContext.isRemote ? '' : '  ';
      const error = status.code === 2 ? ` ERROR ${status.message}` : '';
      console.error(
        `${indent}${name} ${milliseconds(duration).toFixed(2)} ms${error} ${JSON.stringify(attributes)}`,
      );
    }
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};

new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(printer)] }).register();
