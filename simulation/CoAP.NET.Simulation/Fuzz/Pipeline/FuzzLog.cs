namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Keeps the first Error or Critical message: none may come of anything that a stranger sends.</summary>
internal sealed class FuzzLog() : BenchLog(LogLevel.Error)
{
    private string? _first;

    public string? First => Volatile.Read(ref _first);

    protected override void Keep(LogLevel level, EventId id, string text, Exception? exception) =>
        Interlocked.CompareExchange(ref _first, $"{text} {exception}", null);
}
