namespace CoAP.NET.Simulation.Machine;

/// <summary>Counts what is logged, as a server in production has it: from Information on.</summary>
internal sealed class LogCounts() : BenchLog(LogLevel.Information)
{
    private readonly ConcurrentDictionary<int, (int Count, LogLevel Level, string First)> _entries = new();

    /// <summary>How much was logged at Warning or above.</summary>
    public int Warnings => _entries.Values.Where(entry => entry.Level >= LogLevel.Warning).Sum(entry => entry.Count);

    /// <summary>What was logged at Warning or above, for the table.</summary>
    public IEnumerable<string> Told =>
        _entries.Where(entry => entry.Value.Level >= LogLevel.Warning).OrderBy(entry => entry.Key)
            .Select(entry => $"log {entry.Key} ({entry.Value.Level}) {entry.Value.Count}");

    /// <summary>How often an event was logged.</summary>
    public int Of(int id) => _entries.TryGetValue(id, out (int Count, LogLevel Level, string First) entry) ? entry.Count : 0;

    /// <summary>The first text of an event.</summary>
    public string TextOf(int id) =>
        _entries.TryGetValue(id, out (int Count, LogLevel Level, string First) entry) ? entry.First : "";

    protected override void Keep(LogLevel level, EventId id, string text, Exception? exception)
    {
        string first = $"{text} {exception?.Message}".Trim();
        _entries.AddOrUpdate(id.Id, _ => (1, level, first), (_, old) => (old.Count + 1, old.Level, old.First));
    }
}
