namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>What was seen in a run. Several threads write to it.</summary>
/// <param name="clock">The clock.</param>
internal sealed class ProxyJournal(VirtualClock clock)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(30);

    private readonly Lock _gate = new();
    private readonly List<ProxyViolation> _violations = [];
    private int _asked;
    private int _answered;

    /// <summary>What did not hold, as a copy.</summary>
    public IReadOnlyList<ProxyViolation> Violations
    {
        get
        {
            lock (_gate)
            {
                return [.. _violations];
            }
        }
    }

    public int Asked => _asked;

    public int Answered => _answered;

    public void CountRequest() => Interlocked.Increment(ref _asked);

    public void CountAnswer() => Interlocked.Increment(ref _answered);

    public void Violate(ProxyCheck check, string what)
    {
        lock (_gate)
        {
            _violations.Add(new ProxyViolation(check, what, clock.Elapsed));
        }
    }

    /// <summary>Lets time pass.</summary>
    public Task PassAsync(TimeSpan time)
    {
        TimeSpan until = clock.Elapsed + time;
        return clock.AdvanceUntilAsync(() => clock.Elapsed >= until, time + TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));
    }

    /// <summary>Lets time pass until something holds, which it has to within half an hour.</summary>
    public async Task MustAsync(ProxyCheck check, string what, Func<bool> holds, Func<string>? describe = null)
    {
        try
        {
            await clock.AdvanceUntilAsync(holds, s_patience);
        }
        catch (TimeoutException)
        {
            Violate(check, $"not so after {s_patience.TotalMinutes:0} minutes: {what}{(describe is null ? "" : $" ({describe()})")}");
        }
    }
}
