namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>A defect that is put in on purpose, to see that the checks find it.</summary>
/// <param name="Summary">What is wrong, in a few words.</param>
/// <param name="FoundBy">By which check it has to be found.</param>
/// <param name="Filter">Makes what stands between the first proxy and its clients; null where the defect is elsewhere.</param>
internal sealed record ProxyPlant(
    string Summary, ProxyCheck FoundBy, Func<Func<CoapRequest, CoapHandler, CancellationToken, ValueTask<CoapResult>>>? Filter = null);
