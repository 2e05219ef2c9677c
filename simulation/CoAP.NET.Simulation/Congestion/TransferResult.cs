namespace CoAP.NET.Simulation.Congestion;

/// <summary>What came of a run.</summary>
/// <param name="Complete">Bodies that arrived whole.</param>
/// <param name="Failed">Bodies that did not.</param>
/// <param name="Time">The time until the last client was done.</param>
/// <param name="Datagrams">The datagrams that all endpoints sent.</param>
/// <param name="Copies">The retransmissions among them.</param>
/// <param name="Spurious">Copies of requests whose answer was on its way and arrived.</param>
public sealed record TransferResult(int Complete, int Failed, TimeSpan Time, long Datagrams, long Copies, long Spurious);
