namespace CoAP.NET.PubSub;

/// <summary>Maps brokers to servers and route groups.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
public static class CoapPubSubMapping
{
    /// <summary>Maps a collection of topics to a path, its topics below it, and their data below <c>data</c>.</summary>
    /// <remarks>
    /// With <c>/ps</c> a topic is <c>/ps/3f2b5c9d01aa</c>, and its data are <c>/ps/data/3f2b5c9d01aa</c>. All nodes of a cluster must use
    /// the same path.
    /// </remarks>
    /// <param name="routes">The server, or a group whose filters, rate limits and security rules apply to the routes.</param>
    /// <param name="path">The path of the collection, without parameters.</param>
    /// <param name="broker">The broker. It can have several collections, all on one server.</param>
    /// <returns>The route of the collection's list, for further configuration.</returns>
    /// <exception cref="ArgumentException">The path has parameters, or ends with a slash.</exception>
    /// <exception cref="InvalidOperationException">Another handler is already mapped to one of the paths.</exception>
    public static CoapRouteHandlerBuilder MapPubSub(this ICoapRouteBuilder routes, string path, CoapPubSubBroker broker)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(broker);
        if (path.Contains('{', StringComparison.Ordinal) || path.EndsWith('/'))
        {
            throw new ArgumentException(
                $"'{path}' is not a valid collection path. Use a path without parameters and without a trailing slash, such as /ps.",
                nameof(path));
        }

        return broker.Map(routes, path);
    }

    /// <summary>Creates a broker with one collection; see <see cref="MapPubSub(ICoapRouteBuilder, string, CoapPubSubBroker)"/>.</summary>
    /// <remarks>
    /// The broker uses the clock and the random source of the server, unless the options have others. In a host, call it in
    /// <c>ConfigureServer</c>, where the server exists.
    /// </remarks>
    /// <param name="routes">The server, or a group.</param>
    /// <param name="path">The path of the collection.</param>
    /// <param name="options">The options; null for the defaults.</param>
    /// <returns>The broker. If it uses the table of a cluster, start it with <see cref="CoapPubSubBroker.StartAsync"/>.</returns>
    public static CoapPubSubBroker MapPubSub(this ICoapRouteBuilder routes, string path, CoapPubSubOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(routes);
        CoapPubSubBroker broker = new((options ?? new CoapPubSubOptions()).Of(routes.Routes));
        routes.MapPubSub(path, broker);
        return broker;
    }
}
