// Most tests wait for the seconds of a run, not for a processor.
[assembly: Xunit.v3.Parallelization(MaxThreads = 6)]
