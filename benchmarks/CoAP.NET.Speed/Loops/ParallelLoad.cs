namespace CoAP.NET.Speed.Loops;

/// <summary>Several loops against one server at the same time, each on a thread and a processor of its own.</summary>
internal sealed class ParallelLoad : IDisposable
{
    private readonly Lane[] _lanes;
    private readonly Func<double, RunResult>[] _runs;

    /// <summary>Makes it.</summary>
    /// <param name="processors">The processor of each loop.</param>
    /// <param name="runs">Runs a loop for so many seconds.</param>
    public ParallelLoad(int[] processors, Func<double, RunResult>[] runs)
    {
        _runs = runs;
        _lanes = [.. processors.Select(Processors.Lane)];
    }

    /// <summary>Runs all of them.</summary>
    public RunFigures Run(double seconds)
    {
        using Barrier start = new(_lanes.Length);
        (RunResult Result, double Busy)[] all = Task.WhenAll(_lanes.Select((lane, i) => lane.RunAsync(() =>
        {
            start.SignalAndWait();
            TimeSpan before = Processor.OwnThreadTime();
            RunResult result = _runs[i](seconds);
            return (result, Math.Min(1, (Processor.OwnThreadTime() - before) / result.Elapsed));
        }))).GetAwaiter().GetResult();
        return RunResult.Merge([.. all.Select(one => one.Result)]).Figures with { LoadProcessors = all.Sum(one => one.Busy) };
    }

    public void Dispose() => Array.ForEach(_lanes, lane => lane.Dispose());
}
