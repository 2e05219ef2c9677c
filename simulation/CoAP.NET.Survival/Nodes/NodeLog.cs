using System.Globalization;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Survival.Nodes;

/// <summary>Says on the error stream what a node logs, with its name and the time.</summary>
/// <param name="name">The name.</param>
/// <param name="least">What is not less than this.</param>
internal sealed class NodeLog(string name, LogLevel least) : ILoggerFactory, ILoggerProvider, ILogger
{
    private readonly Lock _gate = new();

    public LogLevel Least => least;

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    public bool IsEnabled(LogLevel logLevel) => logLevel >= least;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel))
        {
            string time = TimeProvider.System.GetUtcNow().ToString("HH:mm:ss.fff", CultureInfo.InvariantCulture);
            lock (_gate)
            {
                Console.Error.WriteLine($"{time} {name} {eventId.Id} {formatter(state, exception)} {exception?.Message}");
            }
        }
    }

    public void Dispose()
    {
        // Nothing is open.
    }
}
