using System.Collections.Concurrent;

namespace CoAP.NET.Simulation.Faults;

/// <summary>What was injected at each place, and what the ones who were hit saw.</summary>
internal sealed class FaultTally
{
    private readonly ConcurrentDictionary<string, ConcurrentDictionary<string, int>> _outcomes = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<(CoapCounter Counter, bool IsOfClient), long> _expected = new();
    private readonly ConcurrentQueue<string> _findings = new();
    private int _count;

    /// <summary>How many faults there were.</summary>
    public int Count => Volatile.Read(ref _count);

    public IReadOnlyCollection<string> Findings => _findings;

    /// <summary>Notes a fault and what it did.</summary>
    public void Note(FaultPlace place, string outcome)
    {
        Interlocked.Increment(ref _count);
        _outcomes.GetOrAdd(place.Name, static _ => new ConcurrentDictionary<string, int>(StringComparer.Ordinal))
            .AddOrUpdate(outcome, 1, static (_, count) => count + 1);
        if (place.Counter is { } counter)
        {
            _expected.AddOrUpdate((counter, place.IsOfClient), 1, static (_, count) => count + 1);
        }
    }

    public void NoteFinding(string finding) => _findings.Enqueue(finding);

    /// <summary>How often a counter of the server has to have counted.</summary>
    public long Expected(CoapCounter counter) => _expected.GetValueOrDefault((counter, false));

    /// <summary>How many faults hit a place.</summary>
    public int CountOf(FaultPlace place) =>
        _outcomes.TryGetValue(place.Name, out ConcurrentDictionary<string, int>? outcomes) ? outcomes.Values.Sum() : 0;

    /// <summary>What they did, the most frequent first.</summary>
    public string OutcomesOf(FaultPlace place) => _outcomes.TryGetValue(place.Name, out ConcurrentDictionary<string, int>? outcomes)
        ? string.Join(", ", outcomes.OrderByDescending(static pair => pair.Value).Select(static pair => $"{pair.Key} {pair.Value}"))
        : "";
}
