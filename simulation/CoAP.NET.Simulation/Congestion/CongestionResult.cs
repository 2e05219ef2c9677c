namespace CoAP.NET.Simulation.Congestion;

/// <summary>What came of a run.</summary>
/// <param name="Answered">Requests that were answered.</param>
/// <param name="Failed">Requests that were given up.</param>
/// <param name="Goodput">Requests answered in a second, of one client on average.</param>
/// <param name="Copies">Retransmissions.</param>
/// <param name="Spurious">Retransmissions of messages whose answer was on its way: an earlier copy had arrived or was to arrive, and so did
/// its answer.</param>
/// <param name="Slow">The time that one request in twenty took longer than, answered ones only.</param>
public sealed record CongestionResult(int Answered, int Failed, double Goodput, int Copies, int Spurious, TimeSpan Slow)
{
    /// <summary>Spurious retransmissions for each hundred requests.</summary>
    public double SpuriousShare => 100.0 * Spurious / Math.Max(1, Answered + Failed);

    /// <summary>Given up of each hundred requests.</summary>
    public double FailedShare => 100.0 * Failed / Math.Max(1, Answered + Failed);
}
