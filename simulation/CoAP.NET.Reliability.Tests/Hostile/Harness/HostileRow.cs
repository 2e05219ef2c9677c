namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>One bad input: what is sent before, what is sent, what must be answered and counted.</summary>
/// <param name="Name">A sentence.</param>
/// <param name="Script">The conversation; see <see cref="HostileScript"/>.</param>
/// <param name="Counter">What must count it.</param>
/// <param name="Rfc">The rows of the RFC checklist, and the vectors (BAD-..) that it is, separated by blanks.</param>
/// <param name="Count">By how much the counter goes up.</param>
internal sealed record HostileRow(string Name, string Script, CoapCounter Counter, string Rfc, long Count = 1)
{
    /// <summary>Whether the peer itself is served afterwards, as the protocol allows it; not where it used up its numbers.</summary>
    public bool IsPeerServed { get; init; } = true;

    public override string ToString() => Name;
}
