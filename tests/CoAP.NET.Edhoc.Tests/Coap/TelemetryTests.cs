using System.Diagnostics.Metrics;

namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>What a server tells of its sessions by metrics and log messages.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class TelemetryTests
{
    [Fact]
    [Rfc("9528-6.2-4", "9528-9.8-4")]
    public async Task Sessions_are_counted_by_outcome_and_logged_with_the_peer_and_without_keys()
    {
        using MeterMaker maker = new();
        ListLogger log = new();
        await using EdhocWorld world = new(options => (options.MeterFactory, options.Logger) = (maker, log));
        await world.Server.StartAsync();
        EdhocClient trusted = world.MakeEdhoc();
        EdhocClient stranger = world.MakeEdhoc(options => options.Credentials.Add(Parties.Own(EdhocCurve.P256, 0x21, "stranger")));

        using EdhocResult session = await world.ConnectAsync(trusted);
        await world.FailAsync(stranger);

        Assert.Equal(
            ["begun=2", "challenged=2", "established=1", "failed=1"],
            maker.Values.OrderBy(pair => pair.Key, StringComparer.Ordinal).Select(pair => $"{pair.Key}={pair.Value}"));
        Assert.Equal(1, maker.Active);
        world.Clock.Advance(FromSeconds(61));
        Assert.Equal(0, maker.Active);
        Assert.Equal([2400, 2401], log.Entries.Select(entry => entry.Id));
        log.Entries.First().Text.Mentions("StaticStatic");
        log.Entries.First().Text.Mentions("[2001:db8::2]");
        log.Entries.Last().Text.Mentions("This side does not know the credential");
    }

    private sealed class MeterMaker : IMeterFactory
    {
        private readonly Meter _meter = new(CoapTelemetry.MeterName);
        private readonly MeterListener _listener = new();
        private readonly Lock _gate = new();

        public MeterMaker()
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (ReferenceEquals(instrument.Meter, _meter) && instrument.Name.StartsWith("coap.edhoc.", Ordinal))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
            {
                lock (_gate)
                {
                    string outcome = (string)tags[0].Value!;
                    Values[outcome] = Values.GetValueOrDefault(outcome) + value;
                }
            });
            _listener.SetMeasurementEventCallback<int>((_, value, _, _) =>
            {
                lock (_gate)
                {
                    Active += value;
                }
            });
            _listener.Start();
        }

        public Dictionary<string, long> Values { get; } = [];

        public int Active { get; private set; }

        public Meter Create(MeterOptions options) => _meter;

        public void Dispose()
        {
            _listener.Dispose();
            _meter.Dispose();
        }
    }
}
