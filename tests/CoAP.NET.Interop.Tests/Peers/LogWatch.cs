using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Waits for a message of the library's log.</summary>
/// <param name="wanted">Whether it is the message.</param>
internal sealed class LogWatch(Predicate<string> wanted) : ILoggerFactory, ILogger
{
    private readonly TaskCompletionSource<string> _found = new(RunContinuationsAsynchronously);

    /// <summary>The first such message.</summary>
    public Task<string> Found => _found.Task;

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    IDisposable? ILogger.BeginScope<TState>(TState state) => null;

    bool ILogger.IsEnabled(LogLevel logLevel) => true;

    void ILogger.Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        string message = formatter(state, exception);
        if (wanted(message))
        {
            _found.TrySetResult(message);
        }
    }
}
