using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>A logger of a user that breaks one day.</summary>
internal sealed class BreakingLogger : ILogger, ILoggerFactory
{
    public bool IsBroken
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (IsBroken)
        {
            throw new InvalidOperationException("The log is full.");
        }
    }

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }
}
