namespace CoAP.NET.Simulation.Soak;

/// <summary>Counts what is logged and keeps what must not be: errors.</summary>
internal sealed class SoakLog() : BenchLog(LogLevel.Warning)
{
    private const int Kept = 20;

    private readonly long[] _counts = new long[(int)LogLevel.None + 1];

    /// <summary>The first errors.</summary>
    public ConcurrentQueue<string> Errors { get; } = new();

    /// <summary>How many errors there were.</summary>
    public long ErrorCount => CountOf(LogLevel.Error) + CountOf(LogLevel.Critical);

    public long CountOf(LogLevel level) => Interlocked.Read(ref _counts[(int)level]);

    protected override void Keep(LogLevel level, EventId id, string text, Exception? exception)
    {
        Interlocked.Increment(ref _counts[(int)level]);
        if (level >= LogLevel.Error && Errors.Count < Kept)
        {
            string error = $"{level}: {text} {exception}";
            if (!Errors.Contains(error))
            {
                Errors.Enqueue(error);
            }
        }
    }

    /// <summary>Logs an error that nobody made, to see that it is found.</summary>
    public void LogPlanted() => Keep(LogLevel.Error, default, "planted", null);
}
