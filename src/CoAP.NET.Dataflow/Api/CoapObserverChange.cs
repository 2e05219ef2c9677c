namespace CoAP.NET;

/// <summary>Describes a change of an observer of a route: see <see cref="CoapRouteHandlerBuilder.ObserverCame"/>.</summary>
/// <param name="Peer">The observing client.</param>
/// <param name="Path">The observed path, in URI form: one of the paths that match the template of the route.</param>
/// <param name="End">The reason why the observer went; null if it came or acknowledged.</param>
public sealed record CoapObserverChange(CoapPeer Peer, string Path, CoapObserverEnd? End);
