using Microsoft.Extensions.Logging;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Keeps the first Error or Critical message: none may come of anything that a stranger sends.</summary>
internal sealed class FuzzLog : ILoggerFactory, ILogger
{
    private string? _first;

    public string? First => Volatile.Read(ref _first);

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
        if (IsEnabled(logLevel))
        {
            Interlocked.CompareExchange(ref _first, $"{formatter(state, exception)} {exception}", null);
        }
    }
}
