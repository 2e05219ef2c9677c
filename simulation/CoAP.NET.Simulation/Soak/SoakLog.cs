using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Simulation.Soak;

/// <summary>Counts what is logged and keeps what must not be: errors.</summary>
internal sealed class SoakLog : ILoggerFactory, ILogger
{
    private const int Kept = 20;

    private readonly long[] _counts = new long[(int)LogLevel.None + 1];

    /// <summary>The first errors.</summary>
    public ConcurrentQueue<string> Errors { get; } = new();

    /// <summary>How many errors there were.</summary>
    public long ErrorCount => CountOf(LogLevel.Error) + CountOf(LogLevel.Critical);

    public long CountOf(LogLevel level) => Interlocked.Read(ref _counts[(int)level]);

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        Interlocked.Increment(ref _counts[(int)logLevel]);
        if (logLevel >= LogLevel.Error && Errors.Count < Kept)
        {
            string text = $"{logLevel}: {formatter(state, exception)} {exception}";
            if (!Errors.Contains(text))
            {
                Errors.Enqueue(text);
            }
        }
    }

    /// <summary>Logs an error that nobody made, to see that it is found.</summary>
    public void LogPlanted() => Log(LogLevel.Error, default, "planted", null, static (text, _) => text);

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException("There is one sink.");

    public void Dispose()
    {
    }
}
