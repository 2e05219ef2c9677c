using CoAP.NET.Observing.Server;

namespace CoAP.NET.Observing;

/// <summary>
/// Receives the <c>Notify</c> calls of a server, so that other servers with the same resources can notify their observers
/// (<see cref="CoapServer.FollowChanges"/>).
/// </summary>
/// <remarks>
/// Any thread calls it, with no lock held; it must be quick and must not wait. The library counts and logs its exceptions. Names are the
/// same in all processes that map the same routes. The name of a path is its URI form, such as <c>/devices/7</c>. The name of all resources
/// of a route is its methods and template, such as <c>GET /devices/{id}</c>.
/// </remarks>
internal interface ICoapChangeListener
{
    /// <summary>
    /// Called when <see cref="CoapServer.Notify"/> or <see cref="CoapRouteHandlerBuilder.Notify"/> reported a change of a path or a route;
    /// not for <see cref="ServerToServerChangeFeed.Apply"/>.
    /// </summary>
    void Changed(string name);

    /// <summary>
    /// Called when the set of observed names has changed: <see cref="ServerToServerChangeFeed.TryTake"/> returns the changes.
    /// </summary>
    /// <remarks>Not called again before it has returned all.</remarks>
    void ObservedChanged();
}
