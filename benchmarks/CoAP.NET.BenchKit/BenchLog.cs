using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Bench;

/// <summary>A log of all chapters that keeps, counts or shows what is logged.</summary>
/// <param name="least">What is not less than this.</param>
internal abstract class BenchLog(LogLevel least) : ILoggerFactory, ILogger
{
    public LogLevel Least => least;

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public virtual IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public virtual bool IsEnabled(LogLevel logLevel) => logLevel >= least;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (logLevel >= least)
        {
            Keep(logLevel, eventId, formatter(state, exception), exception);
        }
    }

    public void Dispose()
    {
    }

    protected abstract void Keep(LogLevel level, EventId id, string text, Exception? exception);
}
