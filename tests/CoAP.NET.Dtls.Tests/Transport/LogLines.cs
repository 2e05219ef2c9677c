using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>Records log messages.</summary>
internal sealed class LogLines : ILoggerFactory, ILogger
{
    private readonly ConcurrentQueue<(int Id, LogLevel Level, string Text, Exception? Exception)> _lines = new();

    public IReadOnlyList<(int Id, LogLevel Level, string Text, Exception? Exception)> Of(int id) =>
        [.. _lines.Where(line => line.Id == id)];

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        _lines.Enqueue((eventId.Id, logLevel, formatter(state, exception), exception));

    public bool IsEnabled(LogLevel logLevel) => true;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }
}
