namespace CoAP.NET.Cli.Bench;

/// <summary>One peer of an observing run.</summary>
/// <param name="Observer">Who observes.</param>
/// <param name="NewRequest">Makes its request for the resource: what it is registered with, and asked for afterwards.</param>
internal readonly record struct ObservingPeer(ICoapObserver Observer, Func<CoapRequest> NewRequest);
