// Most tests wait for programs of others, so more of them run at a time than there are processors.
[assembly: Parallelization(MaxThreads = 8)]
