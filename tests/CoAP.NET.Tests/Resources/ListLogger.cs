using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Resources;

/// <summary>Keeps what was logged.</summary>
internal sealed class ListLogger : ILogger
{
    public ConcurrentQueue<(LogLevel Level, int Id, string Text, Exception? Exception)> Entries { get; } = new();

    public bool Throws { get; set; }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (Throws)
        {
            throw new InvalidOperationException("The log is full.");
        }

        Entries.Enqueue((logLevel, eventId.Id, formatter(state, exception), exception));
    }
}
