namespace CoAP.NET.Load.Observing;

/// <summary>One peer of an observing run.</summary>
/// <param name="Observer">The client that observes.</param>
/// <param name="NewRequest">Creates its request, for the registration and for later reads.</param>
internal readonly record struct ObservingPeer(ICoapClient Observer, Func<CoapRequest> NewRequest);
