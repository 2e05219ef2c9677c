using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>Keeps what is logged.</summary>
internal sealed class LogList : ILogger
{
    private readonly List<(LogLevel Level, int Id, string Text)> _entries = [];

    public IReadOnlyList<(LogLevel Level, int Id, string Text)> Entries
    {
        get
        {
            lock (_entries)
            {
                return [.. _entries];
            }
        }
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        lock (_entries)
        {
            _entries.Add((logLevel, eventId.Id, formatter(state, exception)));
        }
    }
}
