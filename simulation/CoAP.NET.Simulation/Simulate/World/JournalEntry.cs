using System.Globalization;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>Something that a node did, beside the datagrams that the network's trace has.</summary>
/// <param name="Time">When.</param>
/// <param name="Node">Who; -1 for nobody in particular.</param>
/// <param name="What">What it did.</param>
/// <param name="Id">Of which step.</param>
/// <param name="Result">What came of it.</param>
internal readonly record struct JournalEntry(TimeSpan Time, int Node, string What, int Id, object? Result)
{
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Time.TotalSeconds,12:F6} node {Node}: {What} {Id} {Result}");
}
