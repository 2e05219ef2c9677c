using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Faults;

/// <summary>
/// A log that keeps which injected fault was told under which id, counts the rest, and throws itself when a fault is due in it.
/// </summary>
internal sealed class FaultLog(FaultInjector injector) : BenchLog(LogLevel.Warning)
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

    protected override void Keep(LogLevel level, EventId id, string text, Exception? exception)
    {
        _entries.AddOrUpdate(id.Id, 1, (_, count) => count + 1);
        bool isInjected = false;
        foreach (IInjected injected in IInjected.Of(exception))
        {
            isInjected = true;
            _told.TryAdd(injected.Number, (id.Id, level));
        }

        // An option of 70,000 bytes is the one thing that is thrown by the library itself.
        if (level >= LogLevel.Error && !isInjected && id.Id is not (UserCodeCalls.NullResult or UserCodeCalls.EncodeFailed)
            && exception is not CoapFormatException and not ArgumentException)
        {
            _unexpected.Enqueue($"{id.Id} {text} {exception}");
        }

        if (id.Id == UserCodeCalls.PayloadDropped)
        {
            injector.Hit("a log provider: Log");
        }
    }

    public override bool IsEnabled(LogLevel logLevel)
    {
        if (logLevel == LogLevel.Warning)
        {
            injector.Hit("a log provider: IsEnabled");
        }

        return base.IsEnabled(logLevel);
    }

    public override IDisposable? BeginScope<TState>(TState state)
    {
        injector.Hit("a log provider: BeginScope");
        return new Scope(injector);
    }

    private sealed class Scope(FaultInjector injector) : IDisposable
    {
        public void Dispose() => injector.Hit("a log provider: the end of a scope");
    }
}
