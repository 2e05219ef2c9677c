using Microsoft.Extensions.Logging;

namespace CoAP.NET.Oscore.Tests.Telemetry;

/// <summary>What was logged.</summary>
internal sealed class LogEntries : ILoggerFactory, ILogger
{
    private readonly List<(int Id, LogLevel Level, string Text)> _entries = [];

    public List<(int Id, LogLevel Level, string Text)> Of(int id)
    {
        lock (_entries)
        {
            return [.. _entries.Where(entry => entry.Id == id)];
        }
    }

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        lock (_entries)
        {
            _entries.Add((eventId.Id, logLevel, formatter(state, exception)));
        }
    }
}
