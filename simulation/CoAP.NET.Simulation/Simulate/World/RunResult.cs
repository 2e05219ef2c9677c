namespace CoAP.NET.Simulation.Simulate;

/// <summary>What a run came to.</summary>
/// <param name="Scenario">What was run.</param>
/// <param name="Violations">What must not be.</param>
/// <param name="Hash">The run as a number.</param>
/// <param name="Time">The virtual time that passed.</param>
/// <param name="Operations">How many requests, pings and observations were begun.</param>
/// <param name="Outcomes">What became of them.</param>
/// <param name="Trace">What happened on the network.</param>
/// <param name="Journal">What happened in the nodes.</param>
internal sealed record RunResult(
    Scenario Scenario, IReadOnlyList<Violation> Violations, ulong Hash, TimeSpan Time, int Operations,
    IReadOnlyDictionary<string, int> Outcomes, IReadOnlyList<NetworkEvent> Trace, IReadOnlyList<JournalEntry> Journal)
{
    private const int LastEvents = 60;

    public bool IsGood => Violations.Count == 0;

    /// <summary>The failure for people: what was violated, the scenario, and what happened before in the nodes that it concerns.</summary>
    public string Describe(int lastEvents = LastEvents)
    {
        StringBuilder text = new();
        foreach (Violation violation in Violations)
        {
            text.Append($"  {violation}\n");
        }

        text.Append("scenario:\n").Append(Scenario);
        int[] nodes = Violations.Count > 0 && Violations[0].Nodes.Count > 0
            ? [.. Violations[0].Nodes]
            : [.. Scenario.Nodes.Select(node => node.Index)];
        TimeSpan until = Violations.Count > 0 ? Violations[0].Time : Time;
        IEnumerable<(TimeSpan Time, string Text)> events = Trace.Where(one => one.Packet is null || nodes.Any(node => Concerns(one, node)))
            .Select(one => (one.Time, one.ToString()))
            .Concat(Journal.Where(one => one.Node < 0 || nodes.Contains(one.Node)).Select(one => (one.Time, one.ToString())))
            .OrderBy(one => one.Item1);
        text.Append($"trace of node {string.Join(" and ", nodes)} (node n is [2001:db8::n+1]), the last {lastEvents} events up "
                + $"to {until.TotalSeconds:F3} s:\n");
        foreach ((_, string line) in events.TakeWhile(one => one.Time <= until).TakeLast(lastEvents))
        {
            text.Append(line).Append('\n');
        }

        return text.ToString();
    }

    private static bool Concerns(NetworkEvent happened, int node) => IsOf(happened.Packet!.From, node) || IsOf(happened.Packet.To, node);

    private static bool IsOf(CoapAddress address, int node) => address.ToIPAddress().GetAddressBytes()[^1] == node + 1;
}

/// <summary>Something that a node did, beside the datagrams that the network's trace has.</summary>
/// <param name="Time">When.</param>
/// <param name="Node">Who; -1 for nobody in particular.</param>
/// <param name="What">What it did.</param>
/// <param name="Id">Of which step.</param>
/// <param name="Result">What came of it.</param>
internal readonly record struct JournalEntry(TimeSpan Time, int Node, string What, int Id, object? Result)
{
    public override string ToString() =>
        $"{Time.TotalSeconds,12:F6} node {Node}: {What} {Id} {Result}";
}
