//! Trials, history, ask and tell, the one loop, stop rules, the journal.
