// Most tests wait for the seconds of a run, not for a processor.
[assembly: Parallelization(MaxThreads = 6)]
