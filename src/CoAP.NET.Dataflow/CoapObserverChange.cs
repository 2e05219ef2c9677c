namespace CoAP.NET;

/// <summary>What happened to an observer of a route: see <see cref="CoapRouteHandlerBuilder.ObserverCame"/>.</summary>
/// <param name="Peer">Who observes.</param>
/// <param name="Path">The path that is observed, in URI form: one of those that the template of the route stands for.</param>
/// <param name="End">Why the observer went; null when it came or acknowledged.</param>
public sealed record CoapObserverChange(CoapPeer Peer, string Path, CoapObserverEnd? End);
