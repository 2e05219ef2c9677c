namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>An observation through the proxy.</summary>
/// <param name="Client">Whose it is.</param>
/// <param name="Origin">The server.</param>
/// <param name="State">What is observed there.</param>
/// <param name="Way">How it is asked for.</param>
/// <param name="Observation">The observation.</param>
internal sealed record ProxyWatch(int Client, int Origin, int State, ProxyWay Way, CoapObservation Observation)
{
    /// <summary>What came last.</summary>
    public string Text => Observation.Latest?.GetText() ?? "";

    /// <summary>Whether it was told that there is nothing any more.</summary>
    public bool HasEnded => Observation.Latest?.Code == CoapCode.NotFound || Observation.Error is not null
        || Observation.State == CoapObserveState.Failed;

    public override string ToString() =>
        $"client {Client} origin {Origin} state {State} {Way}: {Observation.State} '{Text}' {Observation.Error?.Message}";
}
