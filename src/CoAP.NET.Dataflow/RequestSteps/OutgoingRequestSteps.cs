using CoAP.NET.Blockwise.Client;
using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;

namespace CoAP.NET.RequestSteps;

/// <summary>The steps of an endpoint, by their names and as a chain.</summary>
internal sealed class OutgoingRequestSteps
{
    /// <summary>Creates the steps.</summary>
    /// <param name="environment">Provides clock, limits and counters.</param>
    /// <param name="sender">Sends their messages.</param>
    /// <param name="pool">The connections.</param>
    /// <param name="tooManyRequests">The default for requests that set none.</param>
    /// <param name="cache">The cache; null for none.</param>
    /// <param name="qblock">Q-Block1 and Q-Block2; null for none.</param>
    /// <param name="stopped">Ends all waits because the endpoint was stopped.</param>
    public OutgoingRequestSteps(
        CoapEnvironment environment,
        RequestSender sender,
        ConnectionPool pool,
        CoapTooManyRequestsBehavior tooManyRequests,
        CoapResponseCache? cache,
        QBlockFeature? qblock,
        CancellationToken stopped)
    {
        Sender = sender;
        Pool = pool;
        Cache = cache?.MakeStep(environment);
        Connection = new ConnectionRequestStep(environment, pool);
        Blockwise = new BlockwiseStep(environment);
        Token = new ExtendedTokenRequestStep(environment);
        List<OutgoingRequestStep> steps =
            [Connection, new RetryAfterStep(environment, tooManyRequests, stopped), new ProxySchemeFallbackStep()];
        if (Cache is not null)
        {
            // A stored response needs no connection.
            steps.Insert(0, Cache);
        }
        if (qblock is not null)
        {
            steps.Add(qblock.MakeStep(environment, sender, Blockwise.Tags));
        }
        Chain = new OutgoingRequestPipeline(sender, [.. steps, Blockwise, new EchoStep(), Token]);
    }
    public OutgoingRequestPipeline Chain { get; }
    public RequestSender Sender { get; }
    public ConnectionPool Pool { get; }
    /// <summary>The cache; null if there is none.</summary>
    public ResponseCacheStep? Cache { get; }
    public ConnectionRequestStep Connection { get; }
    public BlockwiseStep Blockwise { get; }
    public ExtendedTokenRequestStep Token { get; }
    /// <summary>
    /// Returns the place of the first step for a request. If the step that finds connections is the first, only requests on connections
    /// need it.
    /// </summary>
    /// <param name="route">The route to the peer; null on datagrams.</param>
    public int FirstFor(OutgoingRequestRoute? route) => route is null && Cache is null ? Connection.Position + 1 : 0;
}
