// Most tests wait for programs of others, so more of them run at a time than there are processors.
[assembly: Xunit.v3.Parallelization(MaxThreads = 8)]
