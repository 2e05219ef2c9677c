namespace CoAP.NET.PubSub;

/// <summary>Maps brokers to servers and groups of routes.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
public static class CoapPubSubMapping
{
    /// <summary>
    /// Serves a collection of topics at a path, its topics below it, and their data below <c>data</c>: with <c>/ps</c> a topic is
    /// <c>/ps/3f2b5c9d01aa</c>, and its data are <c>/ps/data/3f2b5c9d01aa</c>. All nodes of a cluster have to use the same path.
    /// </summary>
    /// <param name="routes">The server, or a group whose filters, rate limits and rules of security shall hold.</param>
    /// <param name="path">The path of the collection, without parameters.</param>
    /// <param name="broker">The broker. It may have several collections, all on one server.</param>
    /// <returns>The route of the collection's list, to say more about it.</returns>
    /// <exception cref="ArgumentException">The path has parameters, or ends with a slash.</exception>
    /// <exception cref="InvalidOperationException">One of the paths has a handler already.</exception>
    public static CoapRouteHandlerBuilder MapPubSub(this ICoapRouteBuilder routes, string path, CoapPubSubBroker broker)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(broker);
        if (path.Contains('{', StringComparison.Ordinal) || path.EndsWith('/'))
        {
            throw new ArgumentException(
                $"'{path}' cannot be the path of a collection, which has no parameters and no slash at its end; such as /ps.",
                nameof(path));
        }

        return broker.Map(routes, path);
    }

    /// <summary>
    /// Makes a broker with one collection; see <see cref="MapPubSub(ICoapRouteBuilder, string, CoapPubSubBroker)"/>.
    /// </summary>
    /// <param name="routes">The server, or a group.</param>
    /// <param name="path">The path of the collection.</param>
    /// <param name="options">How it works; default: all defaults.</param>
    /// <returns>The broker. Where it has a table of a cluster, start it.</returns>
    public static CoapPubSubBroker MapPubSub(this ICoapRouteBuilder routes, string path, CoapPubSubOptions? options = null)
    {
        CoapPubSubBroker broker = new(options);
        routes.MapPubSub(path, broker);
        return broker;
    }
}
