using System.Diagnostics;
using System.Diagnostics.Metrics;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Diagnostics;

/// <summary>What a request allocates with and without listeners.</summary>
[Collection(TelemetryCollection.Name)]
public sealed class TelemetryCostTests
{
    private static readonly CoapAddress s_peer = CoapAddress.FromIPv4(0x7f000002, 40_000);

    [Fact]
    public async Task Requests_allocate_no_more_after_a_listener_was_removed_than_before()
    {
        long before = await AllocatedAsync(static () => null);
        long measured = await AllocatedAsync(static () => new Listeners());
        long after = await AllocatedAsync(static () => null);
        Assert.True(measured > before, $"{measured} with listeners, {before} without");
        Assert.InRange(after, 0, before + 8);
    }

    [Fact]
    public void Telemetry_is_off_while_no_listener_is_attached() =>
        Assert.False(EndpointTelemetry.None.IsServing || EndpointTelemetry.None.IsRequesting);

    private static async Task<long> AllocatedAsync(Func<IDisposable?> listen)
    {
        const int rounds = 2000;
        DirectTransport transport = new() { Discards = true };
        await using CoapServer server =
            new(new CoapEndpointOptions { TimeProvider = new VirtualClock(), Pipeline = { Random = new VirtualRandom(1) } });
        CoapResult kept = CoapResults.Text("x");
        server.MapGet("/", () => kept);
        server.Endpoint.AddTransport(transport);
        await server.StartAsync();
        using IDisposable? listeners = listen();
        byte[] request = Wire.Hex("5001000000");
        request = request[..4];
        int id = 0;
        void Send(int count)
        {
            for (int i = 0; i < count; i++, id++)
            {
                request[2] = (byte)(id >> 8);
                request[3] = (byte)id;
                transport.Receive(s_peer, request);
            }
        }

        Send(rounds);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Send(rounds);
        return (GC.GetAllocatedBytesForCurrentThread() - before) / rounds;
    }

    private sealed class Listeners : IDisposable
    {
        private readonly ActivityListener _activities = new()
        {
            ShouldListenTo = static source => source.Name == CoapTelemetry.ActivitySourceName,
            Sample = static (ref _) => ActivitySamplingResult.AllData,
        };

        private readonly MeterListener _meters = new();

        public Listeners()
        {
            ActivitySource.AddActivityListener(_activities);
            _meters.InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == CoapTelemetry.MeterName)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _meters.Start();
        }

        public void Dispose()
        {
            _activities.Dispose();
            _meters.Dispose();
        }
    }
}
