using Microsoft.Extensions.Logging;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Keeps what is logged as an error or worse.</summary>
internal sealed class ErrorLog : ILoggerFactory, ILogger
{
    private readonly List<string> _entries = [];

    public string[] Take()
    {
        lock (_entries)
        {
            string[] all = [.. _entries];
            _entries.Clear();
            return all;
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

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (logLevel >= LogLevel.Error)
        {
            lock (_entries)
            {
                _entries.Add($"{logLevel} {eventId}: {formatter(state, exception)} {exception}");
            }
        }
    }
}
