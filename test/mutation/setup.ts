import fc from 'fast-check';

// A counterexample kills the mutant; a smaller one only takes longer to find.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
