using System.Diagnostics.Metrics;

namespace CoAP.NET.PubSub.Tests;

/// <summary>What a broker counts, and what meters are told of it.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class TelemetryTests
{
    [Fact]
    public async Task Counters_and_metrics_report_the_operations_and_refusals_of_a_broker()
    {
        using TestMeterFactory meters = new();
        List<string> told = [];
        using MeterListener listener = new();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Meter.Scope == meters && instrument.Name.StartsWith("coap.pubsub.", Ordinal))
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, tags, _) =>
            told.Add($"{instrument.Name["coap.pubsub.".Length..]} {(tags.Length > 0 ? tags[0].Value : null)}".TrimEnd()));
        listener.Start();
        await using PubSubWorld world = new(options =>
        {
            options.MeterFactory = meters;
            options.Limits.PublicationsPerSecond = 1;
            options.Authorize = (_, operation, _) => operation != CoapPubSubOperation.DeleteData;
        });
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("x"));
        string data = new Uri((await world.RunAsync(() => topic.FindDataAsync())).ToString()).AbsolutePath;
        await world.RunAsync(() => topic.ChangeAsync(new CoapTopicProperties { TopicType = "t" }));
        await world.AskAsync(CoapMethod.Put, data, "30", format: 0);
        await world.AskAsync(
            CoapMethod.Put, data, "30", format: 0, more: request => request.TooManyRequests = CoapTooManyRequestsBehavior.None);
        await world.AskAsync(CoapMethod.Delete, data);
        await world.AskAsync(CoapMethod.Post, "/ps", "80");
        await world.RunAsync(() => topic.DeleteAsync());
        Assert.Equal(
            [
                "topics created", "topics changed", "publications", "refusals too_fast", "refusals forbidden", "refusals invalid",
                "topics ended",
            ], told);
        CoapPubSubCounters counters = world.Broker.GetCounters();
        Assert.Equal((1L, 1L, 1L, 1L, 1L, 1L, 1L),
            (counters.Created, counters.Changed, counters.Publications, counters.TooFast, counters.Forbidden, counters.Invalid,
                counters.Ended));
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

        public void Dispose() => _meters.ForEach(meter => meter.Dispose());
    }
}
