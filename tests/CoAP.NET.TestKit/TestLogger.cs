using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Shared;

/// <summary>A logger for each category, and what makes loggers.</summary>
internal abstract class TestLogger : ILoggerFactory, ILoggerProvider, ILogger
{
    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public virtual bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter) => Write(logLevel, eventId, formatter(state, exception), exception);

    protected abstract void Write(LogLevel level, EventId id, string text, Exception? exception);
}
