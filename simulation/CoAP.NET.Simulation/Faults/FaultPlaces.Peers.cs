using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Simulation.Faults;

// Those who look on, and what becomes of peers and connections.
internal static partial class FaultPlaces
{
    private const string Metered = "/metered";

    private static IEnumerable<FaultPlace> OfTelemetry() =>
    [
        .. new[] { "Log", "IsEnabled", "BeginScope", "the end of a scope" }.Select(static method =>
            new FaultPlace($"a log provider: {method}", "nothing", CoapCounter.StageErrors, 0, Asks("/handler/notes", "2.03 Valid"))
            {
                LogNote = "the log is what failed"
            }),
        new FaultPlace("a meter listener", "nothing", CoapCounter.StageErrors, ListenerFailed, MeterAsync),
        .. new[] { "Sample", "ActivityStarted", "ActivityStopped" }.Select(static method =>
            new FaultPlace($"an activity listener: {method}", "nothing", CoapCounter.StageErrors, ListenerFailed, TraceAsync)),
        new FaultPlace("an activity listener: ExceptionRecorder", "nothing: 5.00 for what the handler threw", CoapCounter.StageErrors,
            ListenerFailed, RecordAsync),
    ];

    private static IEnumerable<FaultPlace> OfPeers() =>
    [
        new FaultPlace("ParametersOf", "nothing: the parameters of all hold", CoapCounter.StageErrors, StageFailed,
            Asks("/plain", Content)),
        new FaultPlace("PeerConnected", "nothing", CoapCounter.HandlerErrors, PeerHandlerFailed, Asks("/plain", Content))
        {
            Scheme = "coap+tcp"
        },
        .. new[] { "PeerDisconnected", "a callback of CoapPeer.Disconnected" }.Select(static place =>
            new FaultPlace(place, "nothing", CoapCounter.HandlerErrors, PeerHandlerFailed, async probe =>
            {
                await using FaultClient other = probe.Rig.NewClient("coap+tcp");
                probe.Arm(await other.FindPortAsync());
                probe.Outcome = "nothing";
            })
            { Scheme = "coap+tcp" }),
        Connection("a connection that is reset in the middle of a frame", static socket => socket.Close(0)),
        Connection("a connection that is half closed in the middle of a frame", static socket => socket.Shutdown(SocketShutdown.Send)),
        Connection("a connection with bytes that are no frame",
            static socket => socket.Send([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
    ];

    private static FaultPlace Connection(string name, Action<Socket> fail) =>
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
            InstrumentPublished = static (instrument, listener) =>
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
            ShouldListenTo = static source => source.Name == CoapTelemetry.ActivitySourceName,
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
