namespace CoAP.NET.PubSub.Tests;

/// <summary>The documented ranges of the options of a broker.</summary>
public sealed class BrokerOptionRangeTests
{
    public static TheoryData<string, Action<CoapPubSubOptions>> Refused => new()
    {
        { "no topics", options => options.Limits.MaxTopics = 0 },
        { "no memory", options => options.Limits.MaxBytes = (64 << 10) - 1 },
        { "no data", options => options.Limits.MaxDataLength = 0 },
        { "data longer than a record", options => options.Limits.MaxDataLength = (56 << 10) + 1 },
        { "negative subscribers", options => options.Limits.MaxSubscribers = -1 },
        { "negative topics in discovery", options => options.Limits.MaxTopicsInDiscovery = -1 },
        { "no publications", options => options.Limits.PublicationsPerSecond = 0 },
        { "a lifetime below a second", options => options.Limits.MaxLifetime = FromSeconds(1) - FromTicks(1) },
        { "data that is always stale", options => options.DataMaxAge = FromSeconds(1) - FromTicks(1) },
        { "no clock", options => options.TimeProvider = null! },
        { "no scheduler", options => options.Scheduler = null! },
        { "no random numbers", options => options.Random = null! },
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public async Task A_broker_refuses_options_outside_their_range(string what, Action<CoapPubSubOptions> change)
    {
        await using CoapServer server = new();

        Exception? refused = Record.Exception(() =>
        {
            CoapPubSubOptions options = new();
            change(options);
            server.MapPubSub("/ps", options);
        });

        Assert.True(refused is ArgumentOutOfRangeException or ArgumentNullException, what);
    }

    [Fact]
    public async Task A_broker_accepts_the_limits_of_the_option_ranges()
    {
        CoapPubSubOptions least = new()
        {
            Limits =
            {
                MaxTopics = 1,
                MaxBytes = 64 << 10,
                MaxDataLength = 1,
                MaxSubscribers = 0,
                MaxTopicsInDiscovery = 0,
                PublicationsPerSecond = double.Epsilon,
                MaxLifetime = FromSeconds(1),
            },
            DataMaxAge = FromSeconds(1),
        };
        await using CoapServer server = new();

        await using CoapPubSubBroker first = server.MapPubSub("/least", least);
        await using CoapPubSubBroker second = server.MapPubSub("/most", new CoapPubSubOptions { Limits = { MaxDataLength = 56 << 10 } });
        Assert.NotSame(first, second);
    }
}
