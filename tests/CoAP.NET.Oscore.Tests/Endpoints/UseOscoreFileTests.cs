namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Security contexts of files by one call. Real clock: sockets and files.</summary>
public sealed class UseOscoreFileTests : FolderTest
{
    private const string Secret = "0102030405060708090a0b0c0d0e0f10";
    private const string Uri = "coap://[2001:db8::1]";

    [Fact]
    public async Task Server_and_client_share_a_context_by_a_single_call_each_and_close_it_at_their_end()
    {
        string ofServer = Write("server.json", "0x01", "0x02");
        string ofClient = Write("client.json", "0x02", "0x01");
        for (int run = 0; run < 2; run++)
        {
            await using CoapServer server = new(o => o.UseOscore(ofServer));
            server.Listen("coap://127.0.0.1:0");
            server.MapGet("/who", request => Convert.ToHexString(((OscoreIdentity)request.Peer.Identity!).Kid.Span)).RequireOscore();
            await server.StartAsync();
            string host = server.LocalEndpoints[0].Origin();
            await using CoapClient client = new(o => o.UseOscore(host, ofClient));
            await using CoapClient plain = new();

            await client.GetAsync($"{host}/who", TestContext.Current.CancellationToken).Says("02");
            await plain.GetAsync($"{host}/who", TestContext.Current.CancellationToken).Gives(CoapCode.Unauthorized);
        }
    }

    [Fact]
    public async Task A_client_uses_a_separate_context_file_for_each_of_its_servers()
    {
        string[] files = [Write("c1.json", "0x02", "0x01"), Write("c2.json", "0x04", "0x03")];
        await using CoapServer one = new(o => o.UseOscore(Write("s1.json", "0x01", "0x02")));
        await using CoapServer two = new(o => o.UseOscore(Write("s2.json", "0x03", "0x04")));
        foreach (CoapServer server in new[] { one, two })
        {
            server.Listen("coap://127.0.0.1:0");
            server.MapGet("/who", request => Convert.ToHexString(((OscoreIdentity)request.Peer.Identity!).Kid.Span)).RequireOscore();
            await server.StartAsync();
        }

        string[] hosts = [one.LocalEndpoints[0].Origin(), two.LocalEndpoints[0].Origin()];
        await using CoapClient client = new(o => o.UseOscore(hosts[0], files[0]).UseOscore(hosts[1], files[1]));

        await client.GetAsync($"{hosts[0]}/who", TestContext.Current.CancellationToken).Says("02");
        await client.GetAsync($"{hosts[1]}/who", TestContext.Current.CancellationToken).Says("04");
    }

    [Fact]
    public async Task Missing_invalid_and_used_context_files_are_reported_by_the_call_without_the_secret()
    {
        string good = Write("good.json", "0x01", "0x02");
        string broken = Path.Combine(Folder, "broken.json");
        File.WriteAllText(broken, $$"""{ "masterSecret": "{{Secret}}", "senderId": "0x01", "recipientId": "0x02" }""");
        string two = Path.Combine(Folder, "two.json");
        File.WriteAllText(two, $$"""{ "contexts": [ {{Of("0x01", "0x02")}}, {{Of("0x03", "0x04")}} ] }""");
        await using CoapClient holder = new(o => o.UseOscore(Uri, good));

        Said(o => o.UseOscore(Uri, good + "2")).Begins($"UseOscore = '{good}2': there is no file");
        Said(o => o.UseOscore(broken)).Begins("UseOscore: ");
        Said(o => o.UseOscore(Uri, two)).Mentions("has 2 security contexts, but a client uses one");
        Said(o => o.UseOscore(good));
        await holder.DisposeAsync();
        await using CoapClient next = new(o => o.UseOscore(Uri, good));

        static string Said(Action<CoapEndpointOptions> configure)
        {
            string message = Assert.ThrowsAny<CoapException>(() => new CoapServer(configure)).Message;
            message.Omits(Secret);
            return message;
        }
    }

    private static string Of(string sender, string recipient) =>
        $$"""{ "masterSecret": "0x{{Secret}}", "senderId": "{{sender}}", "recipientId": "{{recipient}}" }""";

    private string Write(string name, string sender, string recipient)
    {
        string path = Path.Combine(Folder, name);
        File.WriteAllText(path, Of(sender, recipient));
        return path;
    }
}
