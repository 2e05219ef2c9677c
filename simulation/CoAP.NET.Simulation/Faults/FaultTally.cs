using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Faults;

/// <summary>How often something was injected at each place, and what was not as it has to be.</summary>
internal sealed class FaultTally
{
    private readonly ConcurrentDictionary<string, int> _faults = new();
    private readonly ConcurrentDictionary<(CoapCounter Counter, bool IsOfClient), long> _expected = new();
    private readonly ConcurrentQueue<string> _findings = new();
    private int _count;

    /// <summary>How many faults there were.</summary>
    public int Count => Volatile.Read(ref _count);

    public IReadOnlyCollection<string> Findings => _findings;

    /// <summary>Notes a fault.</summary>
    public void Note(UserCodeCall place)
    {
        Interlocked.Increment(ref _count);
        _faults.AddOrUpdate(place.Name, 1, (_, count) => count + 1);
        if (place.Counter is { } counter)
        {
            _expected.AddOrUpdate((counter, place.IsOfClient), 1, (_, count) => count + 1);
        }
    }

    public void NoteFinding(string finding) => _findings.Enqueue(finding);

    /// <summary>How often a counter of the server has to have counted.</summary>
    public long Expected(CoapCounter counter) => _expected.GetValueOrDefault((counter, false));

    /// <summary>How many faults hit a place.</summary>
    public int CountOf(UserCodeCall place) => _faults.GetValueOrDefault(place.Name);
}
