using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Messaging;

/// <summary>Keeps level and text of log messages, and whether a lock was held when they were written.</summary>
internal sealed class RecordingLogger : ILogger
{
    public List<(LogLevel Level, string Text)> Entries { get; } = [];

    public Func<bool> IsLockHeld { get; set; } = () => false;

    public bool WasCalledUnderLock { get; private set; }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        WasCalledUnderLock |= IsLockHeld();
        lock (Entries)
        {
            Entries.Add((logLevel, formatter(state, exception) + exception));
        }
    }
}
