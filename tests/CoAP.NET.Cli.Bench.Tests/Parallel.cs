// Most tests wait for the seconds of a run, not for a processor.
[assembly: CollectionBehavior(MaxParallelThreads = 6)]
