namespace CoAP.NET.PubSub.Tests;

/// <summary>Brokers, collections, topics and their data in <c>/.well-known/core</c> (draft-ietf-core-coap-pubsub-21 section 2.3).</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DiscoveryTests
{
    private const string Core = "/.well-known/core";

    [Fact]
    [Rfc("pubsub-2.3.2-1", "pubsub-2.3.1-1")]
    public async Task Each_collection_of_a_broker_is_discovered_with_its_topics()
    {
        await using PubSubWorld world = new();
        world.Server.Routes.MapPubSub("/other/path", world.Broker);
        await world.StartAsync();
        Assert.Equal(["/ps", "/other/path"], await TargetsAsync(world, "rt=core.ps.coll"));
        Assert.Equal(["/ps", "/other/path"], await TargetsAsync(world, "rt=core.ps"));
        CoapTopic here = await world.CreateAsync(new CoapTopicProperties("one"));
        CoapTopic there = await world.CreateAsync(
            new CoapTopicProperties("one"), new CoapPubSubClient(world.Client, $"{PubSubWorld.Uri}/other/path"));
        Assert.Equal([Path(here.Uri), Path(there.Uri)], await TargetsAsync(world, "rt=core.ps.conf"));
        Assert.Equal([Path(here.Uri)], (await world.RunAsync(() => world.Collection.ListAsync())).Select(one => Path(one.Uri)));
    }

    [Fact]
    [Rfc("pubsub-2.3.3-1")]
    public async Task Topics_and_data_are_discovered_by_their_resource_types_and_disappear_when_they_are_deleted()
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        Assert.Empty(await TargetsAsync(world, "rt=core.ps.conf"));
        CoapTopic topic = await world.CreateAsync(
            new CoapTopicProperties("t") { ContentFormat = CoapContentFormat.TextPlain, ResourceType = "temperature-c" });
        string path = Path(topic.Uri);
        string data = path.Replace("/ps/", "/ps/data/", Ordinal);
        Assert.Equal($"<{path}>;rt=\"core.ps.conf\"", await LinksAsync(world, "?rt=core.ps.conf"));
        Assert.Equal($"<{data}>;rt=\"core.ps.data temperature-c\";obs;ct=0", await LinksAsync(world, "?rt=core.ps.data"));
        Assert.Equal([data], await TargetsAsync(world, "rt=temperature*"));
        Assert.Equal(["/ps", path, data], await TargetsAsync(world, "rt=core.ps*"));
        Assert.Equal([data], await TargetsAsync(world, "rt=core.ps*&ct=0"));
        Assert.Equal([path], await TargetsAsync(world, $"rt=core.ps*&href={path}"));

        // Who asks for all is told where to ask.
        Assert.Equal("</ps>;rt=\"core.ps core.ps.coll\";ct=\"40 606\"", await LinksAsync(world, ""));
        await world.RunAsync(() => topic.DeleteAsync());
        Assert.Empty(await TargetsAsync(world, "rt=core.ps.conf"));
    }

    [Fact]
    public async Task Topics_that_exceed_the_discovery_limit_are_listed_in_the_collection_only()
    {
        await using PubSubWorld world = new(options => options.Limits.MaxTopicsInDiscovery = 2);
        await world.StartAsync();
        for (int i = 0; i < 2; i++)
        {
            await world.CreateAsync(new CoapTopicProperties($"{i}"));
        }

        Assert.Equal(2, (await TargetsAsync(world, "rt=core.ps.conf")).Length);
        CoapTopic third = await world.CreateAsync(new CoapTopicProperties("third"));
        Assert.Empty(await TargetsAsync(world, "rt=core.ps.conf"));
        Assert.Equal(["/ps"], await TargetsAsync(world, "rt=core.ps*"));
        Assert.Equal(3, (await world.RunAsync(() => world.Collection.ListAsync())).Count);
        await world.RunAsync(() => third.DeleteAsync());
        Assert.Equal(2, (await TargetsAsync(world, "rt=core.ps.data")).Length);
    }

    [Fact]
    public async Task Topics_that_a_client_may_not_read_are_neither_shown_nor_counted()
    {
        await using PubSubWorld world = new(options =>
        {
            options.Limits.MaxTopicsInDiscovery = 1;
            options.Authorize = (request, operation, topic) =>
                operation != CoapPubSubOperation.ReadTopic || topic.Properties.Name!.StartsWith("open", Ordinal);
        });
        await world.StartAsync();
        CoapTopic open = await world.CreateAsync(new CoapTopicProperties("open"));
        await world.CreateAsync(new CoapTopicProperties("secret"));
        Assert.Equal([Path(open.Uri)], await TargetsAsync(world, "rt=core.ps.conf"));
        await world.CreateAsync(new CoapTopicProperties("open too"));
        Assert.Empty(await TargetsAsync(world, "rt=core.ps.conf"));
    }

    private static async Task<string[]> TargetsAsync(PubSubWorld world, string query) =>
        [.. CoapLinkFormat.Parse(await LinksAsync(world, $"?{query}")).Select(link => link.Target)];

    private static async Task<string> LinksAsync(PubSubWorld world, string query) =>
        (await world.AskAsync(CoapMethod.Get, Core + query)).Response.GetText();

    private static string Path(CoapUri uri) => $"/{string.Join('/', uri.PathSegments)}";
}
