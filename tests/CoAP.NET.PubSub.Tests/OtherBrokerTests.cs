namespace CoAP.NET.PubSub.Tests;

/// <summary>
/// The client at a broker that follows version -19, in what was observed of that of the draft's author: another resource-type, topic-data
/// without a slash, a property that -21 does not have, and no FETCH.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class OtherBrokerTests
{
    private const string Type = "636f72652e70732e636f6e66";

    [Fact]
    public async Task Topics_of_a_version_19_broker_are_created_found_published_to_and_read()
    {
        await using PubSubWorld world = new();
        CoapServer other = world.MakeServer("[2001:db8::9]:5683");
        byte[] data = [];
        other.MapPost("/ps", request => Convert.ToHexStringLower(request.Payload.Span).Contains(Type, Ordinal)
            ? CoapResults.Status(CoapCode.Created, Configuration(), (CoapContentFormat)606).WithLocation("/ps/56d7c9")
            : CoapResults.BadRequest("resource-type must be core.ps.conf"));
        other.MapGet("/ps", () => CoapResults.Content(CoapLinkFormat.ToContent([new CoapLink("/ps/56d7c9"), new CoapLink("/ps/other")])));
        other.MapGet("/ps/56d7c9", () => CoapResults.Bytes(Configuration(), (CoapContentFormat)606));
        other.MapGet("/ps/other", () => CoapResults.Bytes(Convert.FromHexString("a1006178"), (CoapContentFormat)606));
        other.MapPut("/ps/data/176340", request =>
        {
            data = request.Payload.ToArray();
            return CoapResults.Created();
        });
        other.MapGet("/ps/data/176340", () => CoapResults.Bytes(data)).Observable();
        await other.StartAsync();
        CoapPubSubClient collection = new(world.Client, "coap://[2001:db8::9]/ps");

        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("room"), collection);
        Assert.Equal((new CoapUri("coap://[2001:db8::9]/ps/56d7c9"), new CoapUri("coap://[2001:db8::9]/ps/data/176340")),
            (topic.Uri, await world.RunAsync(() => topic.FindDataAsync())));
        Assert.True(await world.RunAsync(() => topic.PublishAsync(CoapContent.Text("20"))));
        Assert.Equal("20", (await world.RunAsync(() => topic.GetDataAsync()))!.GetText());
        IReadOnlyList<CoapTopic> found = await world.RunAsync(() => collection.FindAsync(new CoapTopicProperties("room")));
        Assert.Equal([topic.Uri], found.Select(one => one.Uri));
        await world.EndAsync(other);
    }

    [Fact]
    public async Task The_client_filters_the_topics_itself_when_a_version_19_broker_ignores_the_filter()
    {
        await using PubSubWorld world = new();
        CoapServer other = world.MakeServer("[2001:db8::9]:5683");
        CoapContent all = CoapLinkFormat.ToContent([new CoapLink("/ps/56d7c9"), new CoapLink("/ps/other")]);
        other.MapFetch("/ps", () => CoapResults.Content(all));
        other.MapGet("/ps/56d7c9", () => CoapResults.Bytes(Configuration(), (CoapContentFormat)606));
        other.MapGet("/ps/other", () => CoapResults.Bytes(Convert.FromHexString("a1006178"), (CoapContentFormat)606));
        await other.StartAsync();
        CoapPubSubClient collection = new(world.Client, "coap://[2001:db8::9]/ps");
        Assert.Equal(["coap://[2001:db8::9]/ps/other"],
            (await world.RunAsync(() => collection.FindAsync(new CoapTopicProperties("x")))).Select(one => $"{one.Uri}"));
        Assert.Empty(await world.RunAsync(() => collection.FindAsync(new CoapTopicProperties("y"))));
        await world.EndAsync(other);
    }

    [Fact]
    public async Task A_response_that_is_not_a_topic_is_reported_as_an_error()
    {
        await using PubSubWorld world = new();
        CoapServer other = world.MakeServer("[2001:db8::9]:5683");
        other.MapGet("/ps/1", () => CoapResults.Text("no map"));
        other.MapPost("/ps", () => CoapResults.Status(CoapCode.Created, Configuration()));
        await other.StartAsync();
        CoapPubSubClient collection = new(world.Client, "coap://[2001:db8::9]/ps");
        CoapProtocolException wrong = await Assert.ThrowsAsync<CoapProtocolException>(
            () => world.RunAsync(() => collection.At("/ps/1").ReadAsync()));
        wrong.Mentions("not a map of topic properties");
        wrong = await Assert.ThrowsAsync<CoapProtocolException>(() => world.CreateAsync(new CoapTopicProperties("x"), collection));
        wrong.Mentions("Location-Path");
        await world.EndAsync(other);
    }

    // {0: "room", 1: "ps/data/176340", 2: "core.ps.conf", 7: 86400, 10: [0]}
    private static byte[] Configuration() => Convert.FromHexString(
        $"a50064726f6f6d016e{Convert.ToHexStringLower("ps/data/176340"u8)}026c{Type}071a000151800a8100");
}
