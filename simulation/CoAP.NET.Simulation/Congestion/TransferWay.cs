using CoAP.NET.QBlock;

namespace CoAP.NET.Simulation.Congestion;

/// <summary>How bodies travel: a column of the tables.</summary>
/// <param name="Name">The head of the column.</param>
/// <param name="Timing">How long messages wait for their acknowledgement.</param>
/// <param name="QBlock">Whether the endpoints use Q-Block.</param>
public sealed record TransferWay(string Name, CoapRetransmissionTiming Timing, CoapQBlock QBlock)
{
    /// <summary>All that are compared.</summary>
    public static IReadOnlyList<TransferWay> All { get; } =
    [
        new("Rfc7252", CoapRetransmissionTiming.Rfc7252, CoapQBlock.Off),
        new("Default", CoapRetransmissionTiming.Default, CoapQBlock.Off),
        new("Fasor", CoapRetransmissionTiming.Fasor, CoapQBlock.Off),
        new("Q-Block", CoapRetransmissionTiming.Default, CoapQBlock.AllowUnsecured),
    ];
}
