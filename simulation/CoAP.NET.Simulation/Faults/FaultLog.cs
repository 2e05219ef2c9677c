using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Simulation.Faults;

/// <summary>
/// A log that keeps which injected fault was told under which id, counts the rest, and throws itself when a fault is due in it.
/// </summary>
internal sealed class FaultLog(FaultInjector injector) : ILoggerFactory, ILogger
{
    private readonly ConcurrentDictionary<int, (int Id, LogLevel Level)> _told = new();
    private readonly ConcurrentDictionary<int, int> _entries = new();
    private readonly ConcurrentQueue<string> _unexpected = new();

    /// <summary>Errors that no injected fault explains.</summary>
    public IReadOnlyCollection<string> Unexpected => _unexpected;

    /// <summary>How often an entry was written.</summary>
    public int CountOf(int id) => _entries.GetValueOrDefault(id);

    /// <summary>Under which id a fault was told; null when it was not.</summary>
    public (int Id, LogLevel Level)? Find(int number) => _told.TryGetValue(number, out (int, LogLevel) entry) ? entry : null;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        _entries.AddOrUpdate(eventId.Id, 1, static (_, count) => count + 1);
        bool isInjected = false;
        foreach (IInjected injected in IInjected.Of(exception))
        {
            isInjected = true;
            _told.TryAdd(injected.Number, (eventId.Id, logLevel));
        }

        // An option of 70,000 bytes is the one thing that is thrown by the library itself.
        if (logLevel >= LogLevel.Error && !isInjected && eventId.Id is not (FaultPlaces.NullResult or FaultPlaces.EncodeFailed)
            && exception is not Serialization.CoapFormatException and not ArgumentException)
        {
            _unexpected.Enqueue($"{eventId.Id} {formatter(state, exception)} {exception}");
        }

        if (eventId.Id == FaultPlaces.PayloadDropped)
        {
            injector.Hit("a log provider: Log");
        }
    }

    public bool IsEnabled(LogLevel logLevel)
    {
        if (logLevel == LogLevel.Warning)
        {
            injector.Hit("a log provider: IsEnabled");
        }

        return logLevel >= LogLevel.Warning;
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
    {
        injector.Hit("a log provider: BeginScope");
        return new Scope(injector);
    }

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    private sealed class Scope(FaultInjector injector) : IDisposable
    {
        public void Dispose() => injector.Hit("a log provider: the end of a scope");
    }
}
