using System.Diagnostics.Metrics;

namespace CoAP.NET.Proxy.Tests;

[Collection(VirtualTimeCollection.Name)]
public sealed class MetricsTests
{
    [Fact]
    public async Task The_meter_of_a_proxy_counts_requests_by_outcome()
    {
        using TestMeterFactory meters = new();
        List<string?> outcomes = [];
        using MeterListener listener = new();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Meter.Scope == meters && instrument.Name == "coap.proxy.requests")
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) => outcomes.Add((string?)tags[0].Value));
        listener.Start();
        await using ProxyWorld world = new(options =>
        {
            options.RequireVerified = false;
            options.ConfigureClient += client => client.Telemetry.MeterFactory = meters;
        });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here"));
        await world.StartAsync();

        await world.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/a"));
        await world.SendAsync(ProxyWorld.Ask("coap://[2001:db8:99::1]/a"));

        Assert.Equal(["received", "forwarded", "received", "not_allowed"], outcomes);
    }

    private sealed class TestMeterFactory : IMeterFactory
    {
        private readonly List<Meter> _meters = [];

        public Meter Create(MeterOptions options)
        {
            Meter meter = new(options.Name, options.Version, options.Tags, this);
            _meters.Add(meter);
            return meter;
        }

        public void Dispose() => _meters.ForEach(static meter => meter.Dispose());
    }
}
