namespace CoAP.NET.PubSub.Tests;

/// <summary>What a broker uses for time and chance that a method creates for a server.</summary>
public sealed class ClockOfServerTests
{
    [Fact]
    public async Task A_broker_uses_the_clock_and_the_random_source_of_its_server()
    {
        VirtualRandom random = new(1);
        await using CoapEndpointPair pair = new(options => options.Pipeline.Random = random);
        await using CoapPubSubBroker broker = pair.Server.MapPubSub("/ps");

        Assert.Same(pair.Clock, broker.Parts.Options.TimeProvider);
        Assert.Same(random, broker.Parts.Options.Random);
    }

    [Fact]
    public async Task Options_set_by_the_user_override_those_of_the_server()
    {
        VirtualClock clock = new();
        VirtualRandom random = new(1);
        await using CoapEndpointPair pair = new();
        await using CoapPubSubBroker broker =
            pair.Server.MapPubSub("/ps", new CoapPubSubOptions { TimeProvider = clock, Random = random });

        Assert.Same(clock, broker.Parts.Options.TimeProvider);
        Assert.Same(random, broker.Parts.Options.Random);
    }
}
