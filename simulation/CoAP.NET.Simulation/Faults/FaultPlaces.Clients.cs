namespace CoAP.NET.Simulation.Faults;

// Code of users that requests and observes.
internal static partial class FaultPlaces
{
    private static IEnumerable<FaultPlace> OfClients() =>
    [
        Caller("IProgress.Report, of a download", static probe => probe.ArmAndThrowAsync(() =>
            probe.Client.Client.GetAsync(probe.Client.Uri("/large"), new Progress(probe.Rig.Injector, "IProgress.Report, of a download"))))
            with { Scheme = "coap" },
        Caller("IProgress.Report, of an upload", static probe => probe.ArmAndThrowAsync(() =>
            probe.Client.Client.PutAsync(probe.Client.Uri("/upload"), CoapContent.Binary(FaultResources.Body),
                new Progress(probe.Rig.Injector, "IProgress.Report, of an upload")))) with { Scheme = "coap" },
        Caller("the stream of a request: reading", static probe => probe.ArmAndThrowAsync(() =>
            probe.Client.Client.PutAsync(probe.Client.Uri("/upload"),
                CoapContent.Stream(new FaultStream(probe.Rig.Injector, "the stream of a request", FaultResources.Body))))),
        Caller("the destination of a download: writing", static async probe =>
        {
            await using FaultStream destination = new(probe.Rig.Injector, "the destination of a download", new byte[8000]);
            await probe.ArmAndThrowAsync(() => probe.Client.Client.GetAsync(probe.Client.Uri("/large"), destination));
        }) with { Scheme = "coap" },
        Caller("ResolveHost", static async probe =>
        {
            await using FaultClient other = probe.Rig.NewClient(probe.Client.Scheme, options => options.ResolveHost = (_, _) =>
            {
                probe.Rig.Injector.Hit("ResolveHost");
                return Task.FromResult<System.Net.IPAddress[]>([System.Net.IPAddress.Loopback]);
            });
            string uri = other.Uri("/plain").Replace("127.0.0.1", "fault.example", StringComparison.Ordinal);
            await probe.ArmAndThrowAsync(() => other.Client.GetAsync(uri));
            (await other.Client.GetAsync(uri)).EnsureSuccess();
        }),
        Caller("CoapRandomSource.Fill", static async probe =>
        {
            await using FaultClient other = probe.Rig.NewClient(probe.Client.Scheme,
                options => options.Random = new RandomSource(probe.Rig.Injector));
            await probe.ArmAndThrowAsync(() => other.Client.GetAsync(other.Uri("/plain")));
            (await other.Client.GetAsync(other.Uri("/plain"))).EnsureSuccess();
        }),
        Caller("ParametersOf, of a client", static async probe =>
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
        Caller("the token of a caller", static async probe =>
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
        Client("CoapObserveOptions.OnNotification", static async probe =>
        {
            int calls = 0;
            await using CoapObservation observation = await probe.Client.Client.ObserveAsync(probe.Client.Uri("/observed"), _ =>
            {
                calls++;
                probe.Rig.Injector.Hit("CoapObserveOptions.OnNotification");
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
        Client("CoapObservation.StateChanged", static async probe =>
        {
            CoapObservation observation = await probe.Client.Client.ObserveAsync(probe.Client.Uri("/observed"));
            observation.StateChanged += (_, _) => probe.Rig.Injector.Hit("CoapObservation.StateChanged");
            probe.Arm();
            await observation.DisposeAsync();
            probe.Outcome = "nothing";
        }),
        Client("the callback of a CoapStatelessClient", static async probe =>
        {
            using CoapStatelessClient stateless = new(probe.Client.Client.Endpoint,
                _ => probe.Rig.Injector.Hit("the callback of a CoapStatelessClient"));
            probe.Arm();
            await stateless.SendAsync(new CoapRequest(CoapMethod.Get, probe.Client.Uri("/plain")), new byte[4]);
            probe.Outcome = "nothing";
        }) with { LogId = StageFailed, Scheme = "coap" },
    ];

    private static FaultPlace Caller(string name, Func<FaultProbe, Task> probe) =>
        new(name, "the caller gets the exception itself", null, 0, probe) { IsOfClient = true, LogNote = "" };

    private static FaultPlace Client(string name, Func<FaultProbe, Task> probe) =>
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
}
