using Microsoft.Extensions.Logging;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Keeps the first errors that a server logs, to be told.</summary>
internal sealed class ErrorLog : ILoggerFactory, ILogger
{
    private const int Most = 5;

    private readonly List<string> _errors = [];

    public IReadOnlyList<string> Errors
    {
        get
        {
            lock (_errors)
            {
                return [.. _errors];
            }
        }
    }

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        lock (_errors)
        {
            if (IsEnabled(logLevel) && _errors.Count < Most)
            {
                _errors.Add($"{formatter(state, exception)} {exception}");
            }
        }
    }

    public void Dispose()
    {
    }
}
