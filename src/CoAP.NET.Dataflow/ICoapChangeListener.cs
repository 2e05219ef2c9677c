namespace CoAP.NET;

/// <summary>
/// Is told what a server is told by <c>Notify</c>, so that observers of other servers hear of it that serve the same resources
/// (<see cref="CoapServer.FollowChanges"/>). Called by any thread, with no lock held; it must be quick and must not wait. What it throws is
/// counted and logged.
/// </summary>
/// <remarks>
/// Names are the same in all processes that map the same routes. A path is named in URI form, such as <c>/devices/7</c>, and everything
/// that a route serves by its methods and template, such as <c>GET /devices/{id}</c>.
/// </remarks>
public interface ICoapChangeListener
{
    /// <summary>
    /// A path or a route was said to have changed, by <see cref="CoapServer.Notify"/> or <see cref="CoapRouteHandlerBuilder.Notify"/>; not
    /// by <see cref="CoapChangeFeed.Apply"/>.
    /// </summary>
    /// <param name="name">Its name.</param>
    void Changed(string name);

    /// <summary>
    /// What is observed here has changed: <see cref="CoapChangeFeed.TryTake"/> tells what. Not called again before that has given all.
    /// </summary>
    void ObservedChanged();
}
