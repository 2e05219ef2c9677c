using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Simulation.Machine;

/// <summary>Counts what is logged, as a server in production has it: from Information on.</summary>
internal sealed class LogCounts : ILoggerFactory, ILogger
{
    private readonly ConcurrentDictionary<int, (int Count, LogLevel Level, string First)> _entries = new();

    /// <summary>How much was logged at Warning or above.</summary>
    public int Warnings => _entries.Values.Where(static entry => entry.Level >= LogLevel.Warning).Sum(static entry => entry.Count);

    /// <summary>What was logged at Warning or above, for the table.</summary>
    public IEnumerable<string> Told =>
        _entries.Where(static entry => entry.Value.Level >= LogLevel.Warning).OrderBy(static entry => entry.Key)
            .Select(static entry => $"log {entry.Key} ({entry.Value.Level}) {entry.Value.Count}");

    /// <summary>How often an event was logged.</summary>
    public int Of(int id) => _entries.TryGetValue(id, out (int Count, LogLevel Level, string First) entry) ? entry.Count : 0;

    /// <summary>The first text of an event.</summary>
    public string TextOf(int id) =>
        _entries.TryGetValue(id, out (int Count, LogLevel Level, string First) entry) ? entry.First : string.Empty;

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel))
        {
            string text = $"{formatter(state, exception)} {exception?.Message}".Trim();
            _entries.AddOrUpdate(eventId.Id, _ => (1, logLevel, text), (_, old) => (old.Count + 1, old.Level, old.First));
        }
    }

    public void Dispose()
    {
    }
}
