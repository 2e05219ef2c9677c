
namespace CoAP.NET.PubSub.Tests;

/// <summary>
/// The exchanges that draft-ietf-core-coap-pubsub-21 shows, in its order and in the bytes of its diagnostic notation: asked of our broker,
/// whose paths are its own, and answered to our client by a server that says what the draft says.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DraftWalkTests
{
    // Before the dates of the examples.
    private static readonly DateTimeOffset s_start = new(2023, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private static readonly TimeSpan? s_maxAge = FromSeconds(15);
    private static readonly string s_name = Key(0) + Text("living-room-sensor");
    private static readonly string s_type = Key(2) + Text("core.ps.data");

    private static readonly string s_temperature = Key(3) + "1870" + Key(4) + Text("temperature");
    private static readonly string s_check = Key(7) + "1a00015180";

    [Fact]
    [Rfc("pubsub-2.4.3-1", "pubsub-2.5.1-1", "pubsub-2.5.2-1", "pubsub-2.5.3-1", "pubsub-2.5.4-1", "pubsub-2.5.5-1")]
    public async Task The_broker_gives_the_responses_of_the_draft_for_topics()
    {
        await using PubSubWorld world = new(start: s_start);
        await world.StartAsync();

        // Section 2.4.3. Where the draft leaves out the default of observer-check, this broker says it.
        (string code, string payload, CoapResponse response) = await world.AskAsync(CoapMethod.Post, "/ps", "a2" + s_name + s_type);
        string topic = response.Options.Location!;
        string data = Key(1) + Text(topic.Replace("/ps/", "/ps/data/", Ordinal));
        Assert.Equal(("2.01", 606, "a4" + s_name + data + s_type + s_check),
            (code, (int)response.ContentFormat!.Value.Value, payload));

        // Section 2.5.1, after somebody has said more.
        string more = s_temperature + "05c11a6428c57f" + Key(6) + "1864";
        Assert.Equal("2.04", (await world.AskAsync(CoapMethod.IPatch, topic, "a4" + more)).Code);
        (code, payload, response) = await world.AskAsync(CoapMethod.Get, topic);
        Assert.Equal(("2.05", 606, "a8" + s_name + data + s_type + more + s_check),
            (code, (int)response.ContentFormat!.Value.Value, payload));

        // Section 2.5.2.
        (code, payload, response) = await world.AskAsync(CoapMethod.Fetch, topic, "820103", format: 60);
        Assert.Equal(("2.05", 606, "a2" + data + Key(3) + "1870"), (code, (int)response.ContentFormat!.Value.Value, payload));

        // Section 2.5.3. The draft lets a broker keep max-subscribers, as its example does, or return it to its default, as this one does.
        (code, payload, _) = await world.AskAsync(
            CoapMethod.Post, topic, "a6" + s_name + data + s_type + s_temperature + "05c11a644c41df");
        Assert.Equal(("2.04", "a7" + s_name + data + s_type + s_temperature + "05c11a644c41df" + s_check), (code, payload));

        // Section 2.5.4.
        (code, payload, _) = await world.AskAsync(CoapMethod.IPatch, topic, "a205c11a65dfc8ff0605");
        Assert.Equal(("2.04", "a8" + s_name + data + s_type + s_temperature + "05c11a65dfc8ff0605" + s_check), (code, payload));

        // Section 2.4.2.
        string other = (await world.AskAsync(CoapMethod.Post, "/ps", "a2" + Key(0) + Text("temperature") + s_type))
            .Response.Options.Location!;
        Assert.Equal($"<{other}>;rt=\"core.ps.conf\"",
            (await world.AskAsync(CoapMethod.Fetch, "/ps", "a2" + Key(0) + Text("temperature") + s_type)).Response.GetText());

        // Section 2.5.5.
        Assert.Equal("2.02", (await world.AskAsync(CoapMethod.Delete, topic)).Code);
        Assert.Equal($"<{other}>;rt=\"core.ps.conf\"", (await world.AskAsync(CoapMethod.Get, "/ps")).Response.GetText());
    }

    [Fact]
    [Rfc("pubsub-3.2.1-1", "pubsub-3.2.2-1", "pubsub-3.2.4-1", "pubsub-3.3-1")]
    public async Task The_broker_gives_the_responses_of_the_draft_for_data()
    {
        await using PubSubWorld world = new(options => options.DataMaxAge = FromSeconds(15), start: s_start);
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(
            new CoapTopicProperties("living-room-sensor") { ContentFormat = (CoapContentFormat)110 });
        string data = new Uri((await world.RunAsync(() => topic.FindDataAsync())).ToString()).AbsolutePath;
        string first = Senml("coaps://dev1.example.com/temperature", "1621452122", "23.5");

        // Section 3.2.1: the first publication, and a further one.
        Assert.Equal("2.01", (await world.AskAsync(CoapMethod.Put, data, first, format: 110)).Code);
        Assert.Equal("2.04", (await world.AskAsync(
            CoapMethod.Put, data, Senml("coaps://dev1.example.com/temperature", "1621452149", "22.5"), format: 110)).Code);

        // Section 3.3.
        await world.AskAsync(CoapMethod.Put, data, first, format: 110);
        (string code, string payload, CoapResponse read) = await world.AskAsync(CoapMethod.Get, data);
        Assert.Equal(("2.05", first, 110, s_maxAge), (code, payload, (int)read.ContentFormat!.Value.Value, read.Options.MaxAge));

        // Section 3.2.2: a subscription, and one update.
        List<CoapResponse> heard = [];
        CoapObservation observation = await world.RunAsync(() => world.Client.ObserveAsync($"{PubSubWorld.Uri}{data}", heard.Add));
        string update = Senml("urn:dev:os:32473-123456", "1696340184", "21.87");
        await world.AskAsync(CoapMethod.Put, data, update, format: 110);
        await world.UntilAsync(() => heard.Count == 2);
        Assert.Equal(update, Convert.ToHexStringLower(heard[1].Payload.Span));
        Assert.All(heard, one => Assert.Equal((CoapCode.Content, 110, s_maxAge, true),
            (one.Code, (int)one.ContentFormat!.Value.Value, one.Options.MaxAge, one.Options.Observe is not null)));
        Assert.True(heard[1].Options.Observe > heard[0].Options.Observe);

        // Section 3.2.4.
        Assert.Equal("2.02", (await world.AskAsync(CoapMethod.Delete, data)).Code);
        await world.UntilAsync(() => heard.Count == 3);
        Assert.Equal((CoapCode.NotFound, null), (heard[2].Code, heard[2].Options.Observe));
        await world.EndAsync(observation);
    }

    [Fact]
    [Rfc("pubsub-2.2.1-7")]
    public async Task The_expiration_date_may_be_any_number_but_not_in_the_past()
    {
        await using PubSubWorld world = new(start: s_start);
        await world.StartAsync();

        // 1(1680393599.5), and the same without a tag.
        foreach ((string name, string date) in new[] { ("61", "c1fb41d90a315fe00000"), ("62", "1a6428c57f") })
        {
            (string code, string payload, _) = await world.AskAsync(CoapMethod.Post, "/ps", $"a3 00 61 {name} {s_type} 05 {date}");
            Assert.Equal("2.01", code);
            payload.Mentions("05c11a6428c57f");
        }

        foreach (string date in new[] { "c11a60000000", "c120", "c1f97e00", "c1f97c00", "c1fbbff0000000000000", "c16131", "f6" })
        {
            Assert.Equal("4.00", (await world.AskAsync(CoapMethod.Post, "/ps", $"a3 00 61 63 {s_type} 05 {date}")).Code);
        }

        await world.PassAsync(DateTimeOffset.FromUnixTimeSeconds(1680393590) - world.Clock.GetUtcNow());
        Assert.Equal(2, world.Broker.GetCounters().Topics);
        await world.PassAsync(FromSeconds(10));
        Assert.Equal((0, 2L), (world.Broker.GetCounters().Topics, world.Broker.GetCounters().Expired));
    }

    [Fact]
    [Rfc("pubsub-3.4-2")]
    public async Task A_publisher_that_got_4_29_sends_no_publication_before_the_given_time()
    {
        await using PubSubWorld world = new(options => options.Limits.PublicationsPerSecond = 0.1);
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("x"));
        await world.RunAsync(() => topic.PublishAsync(CoapContent.Text("0")));
        TimeSpan begin = world.Clock.Elapsed;
        Task<bool>[] publications = [.. Enumerable.Range(1, 3).Select(i => topic.PublishAsync(CoapContent.Text($"{i}")))];
        Task all = Task.WhenAll(publications);
        await world.UntilAsync(() => all.IsCompleted);

        // Whether a call waits or ends with the refusal: nothing was sent that would have been too fast once more.
        Assert.InRange(world.Broker.GetCounters().TooFast, 1, 3);
        int published = publications.Count(one => one.IsCompletedSuccessfully);
        Assert.InRange((world.Clock.Elapsed - begin).TotalSeconds, published * 9, 600);
    }

    [Fact]
    public async Task The_client_understands_the_responses_of_the_draft()
    {
        await using PubSubWorld world = new(start: s_start);
        CoapServer other = world.MakeServer("[2001:db8::9]:5683");
        List<string> asked = [];
        byte[] data = [];
        string full = "a7" + s_name + Key(1) + Text("/ps/data/1bd0d6d") + s_type + s_temperature + "05c11a6428c57f" + Key(6) + "1864";
        other.MapGet("/ps", () => Links("</ps/h9392>,</ps/2e3570>")).WithResourceType("core.ps.coll");
        other.MapGet("/other/path", () => Links("")).WithResourceType("core.ps.coll");
        other.MapFetch("/ps", request => Heard(request, Links("</ps/2e3570>")));
        other.MapPost("/ps", request => Heard(request, CoapResults.Status(CoapCode.Created,
            Convert.FromHexString("a3" + s_name + Key(1) + Text("/ps/data/1bd0d6d") + s_type), (CoapContentFormat)606)
            .WithLocation("/ps/h9392")));
        other.MapGet("/ps/h9392", () => Properties(full));
        other.MapGet("/ps/2e3570", () => Properties("a2" + Key(0) + Text("temperature") + s_type));
        other.MapPost("/ps/h9392", request => Heard(request, Changed(full)));
        other.MapIPatch("/ps/h9392", request => Heard(request, Changed(full)));
        other.MapDelete("/ps/h9392", () => CoapResults.Deleted());
        CoapRouteHandlerBuilder latest = other.MapGet("/ps/data/1bd0d6d", () => data.Length == 0
            ? CoapResults.NotFound()
            : CoapResults.Bytes(data, (CoapContentFormat)110)).Observable();
        other.MapPut("/ps/data/1bd0d6d", request =>
        {
            bool isFirst = data.Length == 0;
            data = request.Payload.ToArray();
            latest.Notify();
            return isFirst ? CoapResults.Created() : CoapResults.Changed();
        });
        other.MapDelete("/ps/data/1bd0d6d", () =>
        {
            data = [];
            latest.Notify();
            return CoapResults.Deleted();
        });
        await other.StartAsync();

        IReadOnlyList<CoapPubSubClient> found = await world.RunAsync(
            () => CoapPubSubClient.DiscoverAsync(world.Client, "coap://[2001:db8::9]"));
        Assert.Equal(["coap://[2001:db8::9]/ps", "coap://[2001:db8::9]/other/path"], found.Select(one => $"{one.Collection}"));
        CoapPubSubClient collection = found[0];
        Assert.Equal(["coap://[2001:db8::9]/ps/h9392", "coap://[2001:db8::9]/ps/2e3570"],
            (await world.RunAsync(() => collection.ListAsync())).Select(one => $"{one.Uri}"));
        Assert.Equal(["coap://[2001:db8::9]/ps/2e3570"], (await world.RunAsync(() => collection.FindAsync(
            new CoapTopicProperties("temperature") { ResourceType = "core.ps.data" }))).Select(one => $"{one.Uri}"));
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("living-room-sensor"), collection);
        Assert.Equal(new CoapUri("coap://[2001:db8::9]/ps/h9392"), topic.Uri);
        Assert.Equal(new CoapTopicProperties("living-room-sensor")
        {
            DataUri = "/ps/data/1bd0d6d", ResourceType = "core.ps.data", ContentFormat = (CoapContentFormat)112,
            TopicType = "temperature", Expiration = DateTimeOffset.FromUnixTimeSeconds(1680393599), MaxSubscribers = 100,
        }, await world.RunAsync(() => topic.ReadAsync()));
        await world.RunAsync(() => topic.ReplaceAsync(topic.Properties! with
        {
            Expiration = DateTimeOffset.FromUnixTimeSeconds(1682719199),
            MaxSubscribers = null,
        }));
        await world.RunAsync(() => topic.ChangeAsync(new CoapTopicProperties
        {
            Expiration = DateTimeOffset.FromUnixTimeSeconds(1709164799), MaxSubscribers = 5,
        }));
        Assert.Null(await world.RunAsync(() => topic.GetDataAsync()));
        CoapContent senml = new(Convert.FromHexString(Senml("urn:dev:os:32473-123456", "1696341182", "19.87")), (CoapContentFormat)110);
        Assert.True(await world.RunAsync(() => topic.PublishAsync(senml)));
        Assert.False(await world.RunAsync(() => topic.PublishAsync(senml)));
        Assert.Equal(senml.Bytes.ToArray(), (await world.RunAsync(() => topic.GetDataAsync()))!.Payload.ToArray());
        Assert.True(await world.RunAsync(() => topic.DeleteDataAsync()));
        Assert.True(await world.RunAsync(() => topic.DeleteAsync()));
        Assert.Equal(
            [
                "a2" + Key(0) + Text("temperature") + s_type,
                "a2" + s_name + s_type,
                "a6" + s_name + Key(1) + Text("/ps/data/1bd0d6d") + s_type + s_temperature + "05c11a644c41df",
                "a205c11a65dfc8ff0605",
            ], asked);
        await world.EndAsync(other);

        CoapResult Heard(CoapRequestContext request, CoapResult result)
        {
            Assert.Equal(606, (int)request.ContentFormat!.Value.Value);
            asked.Add(Convert.ToHexStringLower(request.Payload.Span));
            return result;
        }
    }

    private static CoapResult Links(string links) => CoapResults.Bytes(Encoding.UTF8.GetBytes(links), CoapContentFormat.LinkFormat);

    private static CoapResult Properties(string map) => CoapResults.Bytes(Convert.FromHexString(map), (CoapContentFormat)606);

    private static CoapResult Changed(string map) =>
        CoapResults.Status(CoapCode.Changed, Convert.FromHexString(map), (CoapContentFormat)606);

    private static string Key(int key) => $"{key:x2}";

    private static string Text(string text) => text.Length < 24
        ? $"{0x60 + text.Length:x2}{Convert.ToHexStringLower(Encoding.UTF8.GetBytes(text))}"
        : $"78{text.Length:x2}{Convert.ToHexStringLower(Encoding.UTF8.GetBytes(text))}";

    private static string Senml(string name, string time, string value) => Convert.ToHexStringLower(
        Encoding.UTF8.GetBytes($"{{\"n\":\"{name}\",\"u\":\"Cel\",\"t\":{time},\"v\":{value}}}"));
}
