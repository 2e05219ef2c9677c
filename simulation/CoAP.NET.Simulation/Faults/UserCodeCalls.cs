using System.Diagnostics;
using System.Diagnostics.Metrics;
using CoAP.NET.Diagnostics;
using CoAP.NET.Stateless;
using CoAP.NET.Tracing;

namespace CoAP.NET.Simulation.Faults;

/// <summary>
/// All places at which the library calls code of a user while it serves and requests. What the list says is what the tests and the campaign
/// hold the library to.
/// </summary>
internal static class UserCodeCalls
{
    private const string Metered = "/metered";

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
    public static IReadOnlyList<UserCodeCall> All { get; } = [.. OfHandlers(), .. AroundHandlers(), .. OfBodies(), .. OfTelemetry(),
        .. OfPeers(), .. OfStageLinks(), .. OfClients()];

    private static IEnumerable<UserCodeCall> OfHandlers() =>
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
        new UserCodeCall("an observed resource, for a notification",
            "its observers get 5.00, which ends their registration (RFC 7641 section 4.2), and register again", CoapCounter.HandlerErrors,
            HandlerFailed, NotifyAsync),
    ];

    private static IEnumerable<UserCodeCall> AroundHandlers() =>
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
        Handler("WithDiscoveryCondition", "/.well-known/core"),
        Handler("a task scheduler: QueueTask", "/handler/scheduler"),
        new UserCodeCall("WithErrorContent", "the error answer, without a description", CoapCounter.HandlerErrors, DescribingFailed,
            Asks("/described", "4.09 Conflict")),
        new UserCodeCall(FaultScheduler.ForHandlers, "5.03, as when there is no thread", CoapCounter.StageErrors, StageFailed,
            Asks("/handler/queued", "5.03 Service Unavailable")),
    ];

    private static IEnumerable<UserCodeCall> OfBodies() =>
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
        new UserCodeCall("the stream of a response: closing", "nothing: all of it was read", CoapCounter.HandlerErrors, StreamNotClosed,
            Asks("/stream", Content)),
        Handler("a handler, in the middle of a body that it reads", "/reader") with
        {
            ProbeAsync = probe =>
            {
                probe.Arm();
                return probe.AskAsync(CoapMethod.Put, "/reader", CoapContent.Binary(FaultResources.Body), InternalServerError);
            },
        },
        new UserCodeCall("the stream of a trace: writing", "the trace ends; nothing else", CoapCounter.StageErrors, TraceFailed,
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

    private static IEnumerable<UserCodeCall> OfStageLinks() =>
        new[]
        {
            "Transport to Channel", "Channel to Serializer", "Serializer to Messaging", "Messaging to Exchanges", "Exchanges to Resource",
            "Resource to Exchanges", "Exchanges to Messaging",
            "Messaging to Serializer", "Serializer to Channel", "Channel to Transport",
        }.Select(link => new UserCodeCall(
            $"link {link}",
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

    private static UserCodeCall Handler(string name, string path) =>
        new(name, "5.00 without detail", CoapCounter.HandlerErrors, HandlerFailed, Asks(path, InternalServerError));

    private static Func<FaultProbe, Task> Asks(string path, params string[] allowed) => probe =>
    {
        probe.Arm();
        return probe.AskAsync(CoapMethod.Get, path, null, allowed);
    };

    private static UserCodeCall Unwritable(CoapCounter counter, int logId) =>
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

    private static IEnumerable<UserCodeCall> OfClients() =>
    [
        Caller("IProgress.Report, of a download", probe => probe.ArmAndThrowAsync(() =>
            probe.Client.Client.SendAsync(new CoapRequest(CoapMethod.Get, probe.Client.Uri("/large"))
            {
                Progress = new Progress(probe.Rig.Injector, "IProgress.Report, of a download"),
            })))
            with { Scheme = "coap" },
        Caller("IProgress.Report, of an upload", probe => probe.ArmAndThrowAsync(() =>
            probe.Client.Client.SendAsync(new CoapRequest(CoapMethod.Put, probe.Client.Uri("/upload"))
            {
                Content = CoapContent.Binary(FaultResources.Body),
                Progress = new Progress(probe.Rig.Injector, "IProgress.Report, of an upload"),
            })))
            with { Scheme = "coap" },
        Caller("the stream of a request: reading", probe => probe.ArmAndThrowAsync(() =>
            probe.Client.Client.PutAsync(probe.Client.Uri("/upload"),
                CoapContent.Stream(new FaultStream(probe.Rig.Injector, "the stream of a request", FaultResources.Body))))),
        Caller("the destination of a download: writing", async probe =>
        {
            await using FaultStream destination = new(probe.Rig.Injector, "the destination of a download", new byte[8000]);
            await probe.ArmAndThrowAsync(() => probe.Client.Client.GetAsync(probe.Client.Uri("/large"), destination));
        }) with { Scheme = "coap" },
        Caller("ResolveHost", async probe =>
        {
            await using FaultClient other = probe.Rig.NewClient(probe.Client.Scheme, options => options.Transports.ResolveHost = (_, _) =>
            {
                probe.Rig.Injector.Hit("ResolveHost");
                return Task.FromResult<IPAddress[]>([IPAddress.Loopback]);
            });
            string uri = other.Uri("/plain").Replace("127.0.0.1", "fault.example");
            await probe.ArmAndThrowAsync(() => other.Client.GetAsync(uri));
            (await other.Client.GetAsync(uri)).EnsureSuccess();
        }),
        Caller("CoapRandomSource.Fill", async probe =>
        {
            await using FaultClient other = probe.Rig.NewClient(probe.Client.Scheme,
                options => options.Pipeline.Random = new RandomSource(probe.Rig.Injector));
            await probe.ArmAndThrowAsync(() => other.Client.GetAsync(other.Uri("/plain")));
            (await other.Client.GetAsync(other.Uri("/plain"))).EnsureSuccess();
        }),
        Caller("ParametersOf, of a client", async probe =>
        {
            await using FaultClient other = probe.Rig.NewClient(probe.Client.Scheme, options => options.ParametersOf = _ =>
            {
                probe.Rig.Injector.Hit("ParametersOf, of a client");
                return null;
            });
            probe.Arm();
            probe.Outcome = await other.OutcomeAsync(CoapMethod.Get, "/plain");
            probe.Expect(Content);
        }) with { Effect = "nothing: the parameters of all hold", LogId = StageFailed },
        Caller("the token of a caller", async probe =>
        {
            using CancellationTokenSource cancellation = new();
            Task<CoapResponse> request = probe.Client.Client.SendAsync(probe.Client.Request(CoapMethod.Get, "/later"), cancellation.Token);
            await cancellation.CancelAsync();
            try
            {
                // Either it was faster, or it was cancelled: it ends, once.
                probe.Outcome = (await request).Code.ToString();
            }
            catch (OperationCanceledException)
            {
                probe.Outcome = "the exception";
            }
        }) with { Effect = "an OperationCanceledException; the server is told by a Reset if it still answers" },
        Client("the handler of a notification", async probe =>
        {
            int calls = 0;
            await using CoapObservation observation = await probe.Client.Client.ObserveAsync(probe.Client.Uri("/observed"), _ =>
            {
                calls++;
                probe.Rig.Injector.Hit("the handler of a notification");
            });
            await FaultProbe.UntilAsync(() => Volatile.Read(ref calls) > 0, "the first notification did not come");
            probe.Arm();
            probe.Rig.Server.Notify("/observed");
            await FaultProbe.UntilAsync(() => probe.Fault!.HasFired, "the notification did not come");
            int before = Volatile.Read(ref calls);
            probe.Rig.Server.Notify("/observed");
            await FaultProbe.UntilAsync(() => Volatile.Read(ref calls) > before, "the observation did not go on");
            probe.Outcome = "nothing";
        }),
        Client("CoapObservation.StateChanged", async probe =>
        {
            CoapObservation observation = await probe.Client.Client.ObserveAsync(probe.Client.Uri("/observed"));
            observation.StateChanged += (_, _) => probe.Rig.Injector.Hit("CoapObservation.StateChanged");
            probe.Arm();
            await observation.DisposeAsync();
            probe.Outcome = "nothing";
        }),
        Client("the callback of a CoapStatelessClient", async probe =>
        {
            using CoapStatelessClient stateless = new(probe.Client.Client.Endpoint,
                _ => probe.Rig.Injector.Hit("the callback of a CoapStatelessClient"));
            probe.Arm();
            await stateless.SendAsync(new CoapRequest(CoapMethod.Get, probe.Client.Uri("/plain")), new byte[4]);
            probe.Outcome = "nothing";
        }) with { LogId = StageFailed, Scheme = "coap" },
    ];

    private static UserCodeCall Caller(string name, Func<FaultProbe, Task> probe) =>
        new(name, "the caller gets the exception itself", null, 0, probe) { IsOfClient = true, LogNote = "" };

    private static UserCodeCall Client(string name, Func<FaultProbe, Task> probe) =>
        new(name, "nothing", CoapCounter.HandlerErrors, ObserverFailed, probe) { IsOfClient = true };

    private sealed class Progress(FaultInjector injector, string place) : IProgress<CoapProgress>
    {
        public void Report(CoapProgress value) => injector.Hit(place);
    }

    private sealed class RandomSource(FaultInjector injector) : CoapRandomSource
    {
        public override void Fill(Span<byte> destination)
        {
            injector.Hit("CoapRandomSource.Fill");
            Secure.Fill(destination);
        }
    }

    private static IEnumerable<UserCodeCall> OfTelemetry() =>
    [
        .. new[] { "Log", "IsEnabled", "BeginScope", "the end of a scope" }.Select(method =>
            new UserCodeCall($"a log provider: {method}", "nothing", CoapCounter.StageErrors, 0, Asks("/handler/notes", "2.03 Valid"))
            {
                LogNote = "the log is what failed"
            }),
        new UserCodeCall("a meter listener", "nothing", CoapCounter.StageErrors, ListenerFailed, MeterAsync),
        .. new[] { "Sample", "ActivityStarted", "ActivityStopped" }.Select(method =>
            new UserCodeCall($"an activity listener: {method}", "nothing", CoapCounter.StageErrors, ListenerFailed, TraceAsync)),
        new UserCodeCall("an activity listener: ExceptionRecorder", "nothing: 5.00 for what the handler threw", CoapCounter.StageErrors,
            ListenerFailed, RecordAsync),
    ];

    private static IEnumerable<UserCodeCall> OfPeers() =>
    [
        new UserCodeCall("ParametersOf", "nothing: the parameters of all hold", CoapCounter.StageErrors, StageFailed,
            Asks("/plain", Content)),
        new UserCodeCall("PeerConnected", "nothing", CoapCounter.HandlerErrors, PeerHandlerFailed, Asks("/plain", Content))
        {
            Scheme = "coap+tcp"
        },
        .. new[] { "PeerDisconnected", "a callback of CoapPeer.Disconnected" }.Select(place =>
            new UserCodeCall(place, "nothing", CoapCounter.HandlerErrors, PeerHandlerFailed, async probe =>
            {
                await using FaultClient other = probe.Rig.NewClient("coap+tcp");
                probe.Arm(await other.FindPortAsync());
                probe.Outcome = "nothing";
            })
            { Scheme = "coap+tcp" }),
        Connection("a connection that is reset in the middle of a frame", socket => socket.Close(0)),
        Connection("a connection that is half closed in the middle of a frame", socket => socket.Shutdown(SocketShutdown.Send)),
        Connection("a connection with bytes that are no frame",
            socket => socket.Send([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
    ];

    private static UserCodeCall Connection(string name, Action<Socket> fail) =>
        new(name, "the connection ends", CoapCounter.ConnectionsClosed, 0, async probe =>
        {
            using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(IPAddress.Loopback, CoapUri.Parse(probe.Rig.Uri("coap+tcp", "/")).Port);

            // A CSM (RFC 8323 section 5.3), and the beginning of a GET.
            socket.Send([0x00, 0xe1, 0x31, 0x01]);
            fail(socket);
            probe.Outcome = "the end";
            await FaultProbe.UntilAsync(() => !socket.Connected || IsAtEnd(socket), "the connection did not end");
        })
        { Scheme = "coap+tcp", LogNote = "Debug 1380, 1382: a peer's doing" };

    private static bool IsAtEnd(Socket socket)
    {
        try
        {
            // What the server says before it closes is read, too.
            while (socket.Poll(0, SelectMode.SelectRead))
            {
                if (socket.Receive(new byte[1000]) == 0)
                {
                    return true;
                }
            }

            return false;
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            return true;
        }
    }

    private static async Task MeterAsync(FaultProbe probe)
    {
        using MeterListener listener = new()
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == CoapInstruments.ServerDurationName)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((_, _, tags, _) =>
        {
            foreach (KeyValuePair<string, object?> tag in tags)
            {
                if (tag.Value is Metered)
                {
                    probe.Rig.Injector.Hit("a meter listener");
                }
            }
        });
        listener.Start();
        probe.Arm();
        await probe.AskAsync(CoapMethod.Get, Metered, null, Content);
    }

    private static async Task TraceAsync(FaultProbe probe)
    {
        using ActivityListener listener = Listen(probe);
        probe.Arm();
        await probe.AskAsync(CoapMethod.Get, Metered, null, Content);
    }

    private static async Task RecordAsync(FaultProbe probe)
    {
        using ActivityListener listener = Listen(probe);
        ArmedFault handler = probe.Rig.Injector.Arm("a metered handler", FaultKind.Throw);
        probe.Arm();
        await probe.AskAsync(CoapMethod.Get, Metered, null, InternalServerError);
        await FaultProbe.UntilAsync(() => probe.Rig.ServerLog.Find(handler.Number) is { Id: HandlerFailed },
            "the handler's own exception was not logged");
        probe.Rig.NoteExtra(CoapCounter.HandlerErrors);
    }

    private static ActivityListener Listen(FaultProbe probe)
    {
        const string name = "GET " + Metered;
        ActivityListener listener = new()
        {
            ShouldListenTo = source => source.Name == CoapTelemetry.ActivitySourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> options) =>
            {
                if (options.Name != name)
                {
                    return ActivitySamplingResult.None;
                }

                probe.Rig.Injector.Hit("an activity listener: Sample");
                return ActivitySamplingResult.AllDataAndRecorded;
            },
            ActivityStarted = _ => probe.Rig.Injector.Hit("an activity listener: ActivityStarted"),
            ActivityStopped = _ => probe.Rig.Injector.Hit("an activity listener: ActivityStopped"),
            ExceptionRecorder = (Activity _, Exception _, ref TagList _) =>
                probe.Rig.Injector.Hit("an activity listener: ExceptionRecorder"),
        };
        ActivitySource.AddActivityListener(listener);
        return listener;
    }
}

/// <summary>A place at which the library calls code of a user, and what follows when that throws.</summary>
/// <param name="Name">The place.</param>
/// <param name="Effect">What the one who is hit sees.</param>
/// <param name="Counter">Where it is counted; null where the caller gets the exception itself.</param>
/// <param name="LogId">Under which id it is logged; 0 where it is not.</param>
/// <param name="ProbeAsync">Has a fault hit a client, and looks at what came of it.</param>
internal sealed record UserCodeCall(string Name, string Effect, CoapCounter? Counter, int LogId, Func<FaultProbe, Task> ProbeAsync)
{
    /// <summary>Whether the client counts and logs it, and not the server.</summary>
    public bool IsOfClient { get; init; }

    /// <summary>Whether the entry of the log has no exception.</summary>
    public bool IsAnonymous { get; init; }

    /// <summary>Where it is tried; null for every scheme.</summary>
    public string? Scheme { get; init; }

    /// <summary>What is said of the log where nobody could look for the entry.</summary>
    public string? LogNote { get; init; }
}
