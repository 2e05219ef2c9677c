namespace CoAP.NET.Tests.Plugtest;

/// <summary>
/// What a client does with a server. What it gets is noted by the bench; what can be wrong whatever gets lost it checks itself.
/// </summary>
/// <param name="Name">Its name among the plugtests.</param>
/// <param name="PlayAsync">What is done.</param>
public sealed record PlugtestScenario(string Name, Func<PlugtestBench, Task> PlayAsync)
{
    /// <summary>One request after the other, or several at once; later requests may depend on earlier responses.</summary>
    /// <param name="name">Its name among the plugtests.</param>
    /// <param name="steps">What is asked at once, given all responses so far.</param>
    public PlugtestScenario(string name, params Func<IReadOnlyList<CoapResponse>, CoapRequest[]>[] steps)
        : this(name, async bench =>
        {
            foreach (Func<IReadOnlyList<CoapResponse>, CoapRequest[]> step in steps)
            {
                await bench.AskAsync(step(bench.Responses));
            }
        })
    {
    }

    /// <summary>
    /// Whether a request may run again for a copy of it: its response is too large to be kept, and it changes nothing (RFC 7252 section
    /// 4.5).
    /// </summary>
    public bool MayRunAgain { get; init; }

    /// <summary>
    /// Whether it takes many messages or much time, as with bodies of several blocks and observations, so that fewer of all its faults are
    /// tried.
    /// </summary>
    public bool IsLong { get; init; }

    /// <summary>For the names of tests.</summary>
    public override string ToString() => Name;
}
