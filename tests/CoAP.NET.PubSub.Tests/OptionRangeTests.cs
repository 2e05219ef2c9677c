namespace CoAP.NET.PubSub.Tests;

/// <summary>The documented ranges of the options of a broker.</summary>
public sealed class OptionRangeTests
{
    public static TheoryData<string, Action<CoapPubSubOptions>> Refused => new()
    {
        { "no topics", options => options.MaxTopics = 0 },
        { "no memory", options => options.MaxBytes = (64 << 10) - 1 },
        { "no data", options => options.MaxDataLength = 0 },
        { "data longer than a record", options => options.MaxDataLength = (56 << 10) + 1 },
        { "negative subscribers", options => options.MaxSubscribers = -1 },
        { "negative topics in discovery", options => options.MaxTopicsInDiscovery = -1 },
        { "no publications", options => options.PublicationsPerSecond = 0 },
        { "a lifetime below a second", options => options.MaxLifetime = FromSeconds(1) - FromTicks(1) },
        { "data that is always stale", options => options.DataMaxAge = FromSeconds(1) - FromTicks(1) },
        { "no clock", options => options.TimeProvider = null! },
        { "no scheduler", options => options.Scheduler = null! },
        { "no random numbers", options => options.Random = null! },
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public async Task A_broker_refuses_options_outside_their_range(string what, Action<CoapPubSubOptions> change)
    {
        CoapPubSubOptions options = new();
        change(options);
        await using CoapServer server = new();

        Assert.True(
            Record.Exception(() => server.MapPubSub("/ps", options)) is ArgumentOutOfRangeException or ArgumentNullException, what);
    }

    [Fact]
    public async Task A_broker_takes_the_ends_of_the_ranges()
    {
        CoapPubSubOptions least = new()
        {
            MaxTopics = 1,
            MaxBytes = 64 << 10,
            MaxDataLength = 1,
            MaxSubscribers = 0,
            MaxTopicsInDiscovery = 0,
            PublicationsPerSecond = double.Epsilon,
            MaxLifetime = FromSeconds(1),
            DataMaxAge = FromSeconds(1),
        };
        await using CoapServer server = new();

        await using CoapPubSubBroker first = server.MapPubSub("/least", least);
        await using CoapPubSubBroker second = server.MapPubSub("/most", new CoapPubSubOptions { MaxDataLength = 56 << 10 });
        Assert.NotSame(first, second);
    }
}
