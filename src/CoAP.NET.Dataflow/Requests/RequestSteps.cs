using CoAP.NET.Caching;
using CoAP.NET.Connecting;

namespace CoAP.NET.Requests;

/// <summary>The steps of an endpoint, by their names and as a chain.</summary>
internal sealed class RequestSteps
{
    /// <summary>Makes them.</summary>
    /// <param name="environment">For clock, bounds and counters.</param>
    /// <param name="sender">Sends their messages.</param>
    /// <param name="pool">The connections.</param>
    /// <param name="patience">What holds for requests that say nothing of their own.</param>
    /// <param name="cache">The cache; null for none.</param>
    /// <param name="stopped">Ends all waiting, as the endpoint was stopped.</param>
    public RequestSteps(
        CoapEnvironment environment,
        RequestSender sender,
        ConnectionPool pool,
        CoapPatience patience,
        CoapCache? cache,
        CancellationToken stopped)
    {
        Sender = sender;
        Pool = pool;
        Cache = cache is null ? null : new CacheStep(environment, cache);
        Connection = new ConnectionStep(environment, pool);
        Blockwise = new BlockwiseStep(environment);
        Token = new TokenStep(environment);

        List<RequestStep> steps = [Connection, new PatienceStep(environment, patience, stopped)];
        if (Cache is not null)
        {
            // What is stored needs no connection.
            steps.Insert(0, Cache);
        }

        if (environment.QBlock != CoapQBlock.Off)
        {
            steps.Add(new QBlockStep(environment, sender));
        }

        Chain = new RequestChain(sender, [.. steps, Blockwise, new EchoStep(), Token]);
    }

    /// <summary>All of them.</summary>
    public RequestChain Chain { get; }

    /// <summary>Sends their messages.</summary>
    public RequestSender Sender { get; }

    /// <summary>The connections.</summary>
    public ConnectionPool Pool { get; }

    /// <summary>The cache; null where there is none.</summary>
    public CacheStep? Cache { get; }

    /// <summary>What finds connections.</summary>
    public ConnectionStep Connection { get; }

    /// <summary>What transfers large bodies.</summary>
    public BlockwiseStep Blockwise { get; }

    /// <summary>What asks for long tokens.</summary>
    public TokenStep Token { get; }

    /// <summary>The place of the first step that a request is shown to: only requests on connections have to be shown to the step that
    /// finds them, where it is the first.</summary>
    /// <param name="route">How the request gets to its peer; null on datagrams.</param>
    public int FirstFor(RequestRoute? route) => route is null && Cache is null ? Connection.Position + 1 : 0;
}
