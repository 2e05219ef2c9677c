namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>An observation through proxies.</summary>
/// <param name="Step">Who observes what, and how it was asked for.</param>
/// <param name="Observation">The observation.</param>
internal sealed record ProxyWatch(ProxyStep Step, CoapObservation Observation)
{
    /// <summary>What came last.</summary>
    public string Text => Observation.Latest is { IsSuccess: true } latest ? latest.GetText() : "";

    /// <summary>Whether it was told that there is nothing any more.</summary>
    public bool HasEnded => Observation.Latest?.Code == CoapCode.NotFound;

    /// <summary>What the last proxy tells apart: it asks as a forward or as a reverse one, over datagrams or streams.</summary>
    public (bool IsReverse, OriginScheme Scheme) Registration => (Step.Way is ProxyWay.Reverse or ProxyWay.Mixed, Step.Scheme);

    public override string ToString() =>
        $"step {Step.Id}, {Step.Way} {Step.Scheme} of client {Step.Client} for state {Step.Resource} of origin {Step.Origin}: "
        + $"{Observation.State} {Observation.Latest?.Code} '{Text}' {Observation.Error?.Message}";
}
