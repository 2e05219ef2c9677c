namespace CoAP.NET.Simulation.Faults;

/// <summary>
/// All places at which the library calls code of a user while it serves and requests. What the list says is what the tests and the campaign
/// hold the library to.
/// </summary>
internal static partial class FaultPlaces
{
    public const int HandlerFailed = 1500;
    public const int NullResult = 1501;
    public const int PayloadDropped = 1503;
    public const int StreamNotClosed = 1544;
    public const int DescribingFailed = 1506;
    public const int StageFailed = 1600;
    public const int ListenerFailed = 1620;
    public const int TraceFailed = 1621;
    public const int ObserverFailed = 1731;
    public const int PeerHandlerFailed = 1763;
    public const int EncodeFailed = 1201;

    private const string InternalServerError = "5.00 Internal Server Error";
    private const string Content = "2.05 Content";

    /// <summary>The places.</summary>
    public static IReadOnlyList<FaultPlace> All { get; } = [.. OfHandlers(), .. AroundHandlers(), .. OfBodies(), .. OfTelemetry(),
        .. OfPeers(), .. OfSeams(), .. OfClients()];

    private static IEnumerable<FaultPlace> OfHandlers() =>
    [
        Handler("a handler", "/handler"),
        Handler("a handler, after an await", "/handler/awaiting"),
        Handler("a handler that is queued", "/handler/queued"),
        Handler("a serial handler", "/handler/serial"),
        Handler("the factory of a CoapResource", "/resource"),
        Handler("a method of a CoapResource", "/resource"),
        Handler("a handler that returns null", "/handler/null") with { LogId = NullResult, IsAnonymous = true },
        Handler("an option factory", "/handler/option") with
        {
            Effect = "the handler that asks for the option gets the exception: 5.00",
            ProbeAsync = async probe =>
            {
                probe.Arm();
                CoapRequest request = probe.Client.Request(CoapMethod.Get, "/handler/option");
                request.Options.Add(new FaultOption(3));
                CoapResponse response = await probe.Client.Client.SendAsync(request);
                probe.Outcome = response.Code.ToString();
                probe.Expect(InternalServerError);
            },
        },
        Unwritable(CoapCounter.EncodeErrors, EncodeFailed) with { Scheme = "coap+tcp" },
        Unwritable(CoapCounter.StageErrors, StageFailed) with { Scheme = "coap" },
        new FaultPlace("an observed resource, for a notification",
            "its observers get 5.00, which ends their registration (RFC 7641 section 4.2), and register again", CoapCounter.HandlerErrors,
            HandlerFailed, NotifyAsync),
    ];

    private static IEnumerable<FaultPlace> AroundHandlers() =>
    [
        Handler("a filter, before the handler", "/filter/before"),
        Handler("a filter, after the handler", "/filter2/after"),
        Handler("a filter factory", "") with
        {
            Effect = "every request to the route is answered 5.00: nothing gets past a filter that could not be made",
            ProbeAsync = probe =>
            {
                probe.Arm();
                return probe.AskAsync(CoapMethod.Get, probe.Rig.Resources.AddRoute(), null, InternalServerError);
            },
        },
        Handler("a rate limiter", "/limited"),
        Handler("ListedWhen", "/.well-known/core"),
        Handler("a task scheduler: QueueTask", "/handler/scheduler"),
        new FaultPlace("DescribeErrors", "the error answer, without a description", CoapCounter.HandlerErrors, DescribingFailed,
            Asks("/described", "4.09 Conflict")),
        new FaultPlace(FaultScheduler.ForHandlers, "5.03, as when there is no thread", CoapCounter.StageErrors, StageFailed,
            Asks("/handler/queued", "5.03 Service Unavailable")),
    ];

    private static IEnumerable<FaultPlace> OfBodies() =>
    [
        Handler("the stream of a response: reading", "/stream") with
        {
            ProbeAsync = probe =>
            {
                probe.Arm();
                return probe.AskAsync(CoapMethod.Get, "/stream", null, InternalServerError, "CoapProtocolException",
                    "CoapResponseException");
            },
        },
        Handler("the stream of a response: Length", "/stream"),
        new FaultPlace("the stream of a response: closing", "nothing: all of it was read", CoapCounter.HandlerErrors, StreamNotClosed,
            Asks("/stream", Content)),
        Handler("a handler, in the middle of a body that it reads", "/reader") with
        {
            ProbeAsync = probe =>
            {
                probe.Arm();
                return probe.AskAsync(CoapMethod.Put, "/reader", CoapContent.Binary(FaultResources.Body), InternalServerError);
            },
        },
        new FaultPlace("the stream of a trace: writing", "the trace ends; nothing else", CoapCounter.StageErrors, TraceFailed,
            async probe =>
            {
                probe.Arm();
                await using CoapTrace trace =
                    probe.Rig.Server.Endpoint.TraceTo(new FaultStream(probe.Rig.Injector, "the stream of a trace", new byte[100_000]));
                await probe.AskAsync(CoapMethod.Get, "/plain", null, Content);
                await probe.AskAsync(CoapMethod.Get, "/plain", null, Content);
            }),
    ];

    private const int MostAttempts = 100;

    private static readonly TimeSpan s_patienceWithoutAnswer = TimeSpan.FromMilliseconds(600);

    private static IEnumerable<FaultPlace> OfSeams() =>
        new[]
        {
            "Transport to Channel", "Channel to Serializer", "Serializer to Messaging", "Messaging to Exchanges", "Exchanges to Resource",
            "Resource to Exchanges", "Exchanges to Messaging",
            "Messaging to Serializer", "Serializer to Channel", "Channel to Transport",
        }.Select(static seam => new FaultPlace(
            $"seam {seam}",
            "the message is lost, as on the network: answered when it comes again, otherwise a time-out; or 5.00, 5.03",
            CoapCounter.StageErrors,
            StageFailed,
            async probe =>
            {
                probe.Arm(await probe.Client.FindPortAsync());
                TimeSpan patience = probe.Client.Patience;
                probe.Client.Patience = s_patienceWithoutAnswer;

                // On a busy machine, patience may be at an end before the first request was on its way.
                for (int attempt = 0; attempt < MostAttempts && probe.Fault is not { HasFired: true }; attempt++)
                {
                    await probe.AskAsync(CoapMethod.Get, "/plain", null, Content, InternalServerError, "5.03 Service Unavailable",
                        nameof(CoapTimeoutException));
                }

                probe.Client.Patience = patience;
            }));

    private static FaultPlace Handler(string name, string path) =>
        new(name, "5.00 without detail", CoapCounter.HandlerErrors, HandlerFailed, Asks(path, InternalServerError));

    private static Func<FaultProbe, Task> Asks(string path, params string[] allowed) => probe =>
    {
        probe.Arm();
        return probe.AskAsync(CoapMethod.Get, path, null, allowed);
    };

    private static FaultPlace Unwritable(CoapCounter counter, int logId) =>
        new("a response that has no form on the wire", "5.00", counter, logId, Asks("/handler/unwritable", InternalServerError))
        {
            IsAnonymous = true
        };

    private static async Task NotifyAsync(FaultProbe probe)
    {
        await using CoapObservation observation = await probe.Client.Client.ObserveAsync(probe.Client.Uri("/observed"));
        probe.Arm();
        probe.Rig.Server.Notify("/observed");
        await FaultProbe.UntilAsync(() => observation.Latest is { IsSuccess: false }, "the observer did not hear of it");
        probe.Outcome = observation.Latest!.Code.ToString();
        probe.Expect(InternalServerError);
    }
}
