using System.Text;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>What nodes log, to be shown when a test fails.</summary>
internal sealed class StringWriterLogger : ILogger, ILoggerFactory
{
    private readonly Lock _gate = new();
    private readonly StringBuilder _text = new();

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Debug;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        lock (_gate)
        {
            _text.AppendLine($"{TimeProvider.System.GetUtcNow():ss.fff} {eventId.Id} {formatter(state, exception)} {exception?.Message}");
        }
    }

    public override string ToString()
    {
        lock (_gate)
        {
            return _text.ToString();
        }
    }
}
