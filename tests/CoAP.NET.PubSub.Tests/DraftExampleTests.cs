namespace CoAP.NET.PubSub.Tests;

/// <summary>The examples of draft-ietf-core-coap-pubsub-21, in the bytes of the draft where it gives them.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DraftExampleTests : IAsyncLifetime
{
    // topic-name "living-room-sensor", resource-type "core.ps.data", topic-content-format 112, topic-type "temperature".
    private const string Create =
        "a4 00 72 6c6976696e672d726f6f6d2d73656e736f72 02 6c 636f72652e70732e64617461 03 18 70 04 6b 74656d7065726174757265";

    private readonly PubSubWorld _world = new();

    public async ValueTask InitializeAsync() => await _world.StartAsync();

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    [Rfc("pubsub-2.4.1-1", "pubsub-2.3.4-1")]
    public async Task A_list_shows_each_change_of_the_topics()
    {
        Assert.Equal("", await LinksAsync("/ps"));
        string topic = await CreateAsync(Create);
        string data = topic.Replace("/ps/", "/ps/data/", Ordinal);
        Assert.Equal($"<{topic}>;rt=\"core.ps.conf\"", await LinksAsync("/ps?rt=core.ps.conf"));
        Assert.Equal($"<{data}>;rt=\"core.ps.data\";obs;ct=112",
            (await LinksAsync("/ps?rt=core.ps.data")).Replace("\"112\"", "112", Ordinal));
        await _world.AskAsync(CoapMethod.Post, topic, "a0");
        Assert.Equal($"<{data}>;rt=\"core.ps.data\";obs", await LinksAsync("/ps?rt=core.ps.data"));
        Assert.Equal("", await LinksAsync("/ps?rt=core.ps.data&ct=60"));
        await _world.AskAsync(CoapMethod.Delete, topic);
        Assert.Equal("", await LinksAsync("/ps"));
        Assert.Equal("", await LinksAsync("/ps?rt=core.ps.data"));
    }

    [Fact]
    [Rfc("pubsub-2.4.2-1")]
    public async Task A_filter_finds_the_topics_in_which_every_property_has_the_given_value()
    {
        string topic = await CreateAsync(Create);
        string other = await CreateAsync("a3 00 65 6f74686572 02 6c 636f72652e70732e64617461 04 6b 74656d7065726174757265");
        string both = string.Join(",", new[] { topic, other }.Order(StringComparer.Ordinal).Select(one => $"<{one}>;rt=\"core.ps.conf\""));

        // topic-type "temperature"; with topic-content-format 112; topic-content-format 50.
        Assert.Equal(both, await FilterAsync("a1 04 6b 74656d7065726174757265"));
        Assert.Equal($"<{topic}>;rt=\"core.ps.conf\"", await FilterAsync("a2 03 18 70 04 6b 74656d7065726174757265"));
        Assert.Equal("", await FilterAsync("a1 03 18 32"));
        Assert.Equal(both, await FilterAsync("a1 07 1a 00015180"));
    }

    [Fact]
    [Rfc("pubsub-2.5.2-1")]
    public async Task Selected_properties_are_fetched_by_an_array_of_keys()
    {
        string topic = await CreateAsync(Create);
        (string code, string payload, _) = await _world.AskAsync(CoapMethod.Fetch, topic, "82 03 06", format: 60);
        Assert.Equal(("2.05", "a1031870"), (code, payload));
        Assert.Equal("a2031870071a00015180", (await _world.AskAsync(CoapMethod.Fetch, topic, "83 03 07 18 63", format: 60)).Payload);
        Assert.Equal("4.15", (await _world.AskAsync(CoapMethod.Fetch, topic, "82 03 06")).Code);
        Assert.Equal("4.00", (await _world.AskAsync(CoapMethod.Fetch, topic, "a1 03 06", format: 60)).Code);
    }

    [Theory]
    [Rfc("pubsub-2.2.1-3")]
    [InlineData("a1 00 61 78", "topic-name")]
    [InlineData("a1 01 61 78", "topic-data")]
    [InlineData("a1 02 61 78", "resource-type")]
    public async Task A_change_of_an_immutable_property_is_refused(string change, string named)
    {
        string topic = await CreateAsync(Create);
        foreach (CoapMethod method in new[] { CoapMethod.Post, CoapMethod.IPatch })
        {
            (string code, _, CoapResponse response) = await _world.AskAsync(method, topic, change);
            Assert.Equal("4.00", code);
            response.GetText().Mentions(named);
        }
    }

    [Theory]
    [Rfc("pubsub-2.2.1-1", "pubsub-2.2.1-6")]
    [InlineData("a1 00 61 78")]
    [InlineData("a1 02 6c 636f72652e70732e64617461")]
    [InlineData("a3 00 61 78 02 61 79 0a 01")]
    [InlineData("a3 00 61 78 02 61 79 00 61 78")]
    [InlineData("a3 00 61 78 02 61 79 07 00")]
    [InlineData("a3 00 61 78 02 61 79 06 20")]
    [InlineData("a3 00 61 78 02 61 79 08 41 80")]
    [InlineData("a3 00 61 78 02 61 79 01 61 7a")]
    [InlineData("a2 00 60 02 61 79")]
    [InlineData("a2 00 61 0a 02 61 79")]
    [InlineData("a2 00 61 78 02 62 7920")]
    [InlineData("a2 00 61 78 02 61")]
    [InlineData("a2 00 61 78 02 61 79 00")]
    [InlineData("80")]
    public async Task An_invalid_topic_is_refused_with_4_00_and_a_reason(string map)
    {
        (string code, _, CoapResponse response) = await _world.AskAsync(CoapMethod.Post, "/ps", map);
        Assert.Equal("4.00", code);
        Assert.NotEmpty(response.GetText());
        Assert.Equal(0, _world.Broker.GetCounters().Topics);
    }

    [Fact]
    [Rfc("pubsub-2.2.1-2")]
    public async Task A_topic_name_is_unique_and_a_map_has_its_Content_Format()
    {
        await CreateAsync(Create);
        Assert.Equal("4.00", (await _world.AskAsync(CoapMethod.Post, "/ps", Create)).Code);
        Assert.Equal("4.15", (await _world.AskAsync(CoapMethod.Post, "/ps", Create, format: 60)).Code);
        Assert.Equal(1, _world.Broker.GetCounters().Topics);
    }

    [Fact]
    [Rfc("pubsub-2.2.1-6", "pubsub-3.1-1", "pubsub-3.2.4-1", "pubsub-3.2.1-1")]
    public async Task The_first_publication_is_answered_2_01_unless_the_topic_has_initial_data_and_later_ones_2_04()
    {
        string data = (await CreateAsync(Create)).Replace("/ps/", "/ps/data/", Ordinal);
        Assert.Equal("4.04", (await _world.AskAsync(CoapMethod.Get, data)).Code);
        Assert.Equal("2.01", (await _world.AskAsync(CoapMethod.Put, data, "80", format: 112)).Code);
        Assert.Equal("2.04", (await _world.AskAsync(CoapMethod.Put, data, "80", format: 112)).Code);
        Assert.Equal("4.15", (await _world.AskAsync(CoapMethod.Put, data, "80", format: 60)).Code);

        // initialize: the empty array.
        string initialized = (await CreateAsync($"a4 00 61 78 02 6c {Hex("core.ps.data")} 03 18 70 08 41 80"))
            .Replace("/ps/", "/ps/data/", Ordinal);
        (string code, string payload, CoapResponse response) = await _world.AskAsync(CoapMethod.Get, initialized);
        Assert.Equal(("2.05", "80", 112), (code, payload, (int)response.ContentFormat!.Value.Value));
        Assert.Equal("2.04", (await _world.AskAsync(CoapMethod.Put, initialized, "81 01", format: 112)).Code);

        // Deleted data come back by a publication only.
        Assert.Equal("2.02", (await _world.AskAsync(CoapMethod.Delete, initialized)).Code);
        Assert.Equal("4.04", (await _world.AskAsync(CoapMethod.Get, initialized)).Code);
        Assert.Equal("4.04", (await _world.AskAsync(CoapMethod.Delete, initialized)).Code);
        Assert.Equal("2.01", (await _world.AskAsync(CoapMethod.Put, initialized, "80", format: 112)).Code);
    }

    [Fact]
    [Rfc("pubsub-2.5.5-1")]
    public async Task Deleting_a_topic_deletes_its_data_and_later_requests_get_4_04()
    {
        string topic = await CreateAsync(Create);
        string data = topic.Replace("/ps/", "/ps/data/", Ordinal);
        await _world.AskAsync(CoapMethod.Put, data, "80", format: 112);
        Assert.Equal("2.02", (await _world.AskAsync(CoapMethod.Delete, topic)).Code);
        Assert.Equal("4.04", (await _world.AskAsync(CoapMethod.Delete, topic)).Code);
        Assert.Equal("4.04", (await _world.AskAsync(CoapMethod.Get, data)).Code);
        Assert.Equal("4.04", (await _world.AskAsync(CoapMethod.Put, data, "80", format: 112)).Code);
        Assert.Equal((0, 0L), (_world.Broker.GetCounters().Topics, _world.Broker.GetCounters().Bytes));
    }

    private static string Hex(string text) => Convert.ToHexStringLower(Encoding.UTF8.GetBytes(text));

    private async Task<string> CreateAsync(string map)
    {
        (string code, _, CoapResponse response) = await _world.AskAsync(CoapMethod.Post, "/ps", map);
        Assert.Equal("2.01", code);
        return response.Options.Location!;
    }

    private async Task<string> LinksAsync(string path)
    {
        CoapResponse response = (await _world.AskAsync(CoapMethod.Get, path)).Response;
        Assert.Equal(CoapContentFormat.LinkFormat, response.ContentFormat);
        return response.GetText();
    }

    private async Task<string> FilterAsync(string map)
    {
        CoapResponse response = (await _world.AskAsync(CoapMethod.Fetch, "/ps", map)).Response;
        Assert.Equal((CoapCode.Content, CoapContentFormat.LinkFormat), (response.Code, response.ContentFormat!.Value));
        return response.GetText();
    }
}
