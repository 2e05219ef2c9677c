namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Simple registration (RFC 9176 section 5.1).</summary>
[Collection(VirtualTimeCollection.Name)]
public class SimpleRegistrationTests : IAsyncLifetime
{
    private DirectoryWorld _world = null!;

    public async ValueTask InitializeAsync() => _world = await DirectoryWorld.StartAsync();

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    private const string Rd = DirectoryWorld.Uri + "/.well-known/rd";

    [Fact]
    [Rfc("9176-5.1-1", "9176-5.1-2")]
    public async Task The_links_are_fetched_from_the_source_of_the_request()
    {
        Device device = await Device.StartAsync(_world, "[2001:db8::9]:5683");

        CoapResponse response = await device.RegisterAsync("?ep=simple&lt=600&et=x");

        response.Gives(CoapCode.Changed);
        Assert.DoesNotContain(response.Options, option => option.Number == OptionNumber.LocationPath);
        Assert.Equal(1, device.Asked);
        Assert.Equal("<coap://[2001:db8::9]/sensor>;rt=\"light\"", await _world.LinksAsync("ep=simple&rt=light"));
        Assert.Contains("et=\"x\"", await _world.EndpointsAsync());
    }

    [Fact]
    [Rfc("9176-5.1-3")]
    public async Task A_simple_registration_is_removed_completely_after_its_lifetime()
    {
        Device device = await Device.StartAsync(_world, "[2001:db8::9]:5683");
        await device.RegisterAsync("?ep=simple&lt=60");
        string location = CoapLinkFormat.Parse(await _world.EndpointsAsync())[0].Target;

        _world.Clock.Advance(FromSeconds(61));

        Assert.Equal(0, _world.Directory.GetCounters().StoredRegistrations);
        await _world.PostAsync(location, client: device.Client).Gives(CoapCode.NotFound);
    }

    [Fact]
    public async Task Links_are_not_fetched_from_an_unverified_address()
    {
        Device victim = await Device.StartAsync(_world, "[2001:db8::9]:5683");
        ScriptedPeer forger = _world.Network.CreatePeer(InMemoryNetwork.Address("[2001:db8::66]:5683"),
            InMemoryNetwork.Address("[2001:db8::1]:5683"));

        // POST /.well-known/rd?ep=x, of somebody who never answers a challenge.
        for (int i = 0; i < 50; i++)
        {
            forger.Send([0x50, 0x02, 0x10, (byte)i, 0xbb, .. ".well-known"u8, 0x02, .. "rd"u8, 0x44, .. "ep=x"u8]);
            _world.Clock.Advance(FromMilliseconds(100));
        }

        Assert.Equal(0, victim.Asked);
        Assert.Equal(0, _world.Directory.GetCounters().Fetches);
        Assert.True(_world.Directory.GetCounters().Challenges > 0);

        // No request of the directory left: answers only, of no more bytes than came.
        Assert.Equal(0, _world.Directory.Count);
    }

    [Fact]
    public async Task A_device_that_cannot_serve_while_it_waits_may_repeat_its_request_and_is_answered_at_once()
    {
        Device device = await Device.StartAsync(_world, "[2001:db8::9]:5683");
        device.Delay = FromSeconds(30);

        CoapResponse first = await device.RegisterAsync("?ep=simple");
        await _world.Clock.AdvanceUntilAsync(() => _world.Directory.GetCounters().Fetches == 0, FromMinutes(2));
        CoapResponse second = await device.RegisterAsync("?ep=simple");

        first.Gives(CoapCode.GatewayTimeout);
        Assert.Contains("again", first.GetText());
        second.Gives(CoapCode.Changed);
        Assert.Equal(1, device.Asked);
    }

    [Theory]
    [InlineData("", "4.00")]
    [InlineData("?ep=a&base=coap://x", "4.00")]
    [InlineData("?ep=a&lt=0", "4.00")]
    public async Task Links_are_not_fetched_for_a_registration_that_would_be_refused(string query, string code)
    {
        Device device = await Device.StartAsync(_world, "[2001:db8::9]:5683");

        CoapResponse response = await device.RegisterAsync(query);

        response.Code.ToString().Begins(code);
        Assert.Equal(0, device.Asked);
    }

    [Theory]
    [InlineData("relative", "4.00")]
    [InlineData("error", "5.02")]
    [InlineData("large", "5.02")]
    [InlineData("format", "5.02")]
    public async Task A_device_whose_links_cannot_be_registered_gets_the_reason(string what, string code)
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxLinkBytes = 2_000);
        Device device = await Device.StartAsync(world, "[2001:db8::9]:5683");
        device.Answer = what switch
        {
            "relative" => CoapResults.Bytes("<sensor>"u8.ToArray(), CoapContentFormat.LinkFormat),
            "error" => CoapResults.Forbidden(),
            "large" => CoapResults.Bytes(Encoding.UTF8.GetBytes($"</{new string('a', 5_000)}>"), CoapContentFormat.LinkFormat),
            _ => CoapResults.Text("</sensor>"),
        };

        CoapResponse response = await device.RegisterAsync("?ep=simple");

        response.Code.ToString().Begins(code);
        Assert.NotEmpty(response.GetText());
        Assert.Equal(0, world.Directory.Count);
    }

    [Fact]
    public async Task A_Content_Format_without_a_payload_is_tolerated_and_a_payload_is_refused()
    {
        Device device = await Device.StartAsync(_world, "[2001:db8::9]:5683");
        CoapRequest tolerated = new(CoapMethod.Post, Rd + "?ep=simple");
        tolerated.Options.ContentFormat = CoapContentFormat.LinkFormat;
        CoapRequest refused = new(CoapMethod.Post, Rd + "?ep=simple")
        {
            Content = new CoapContent("</x>"u8.ToArray(), CoapContentFormat.LinkFormat),
        };

        await _world.SendAsync(tolerated, device.Client).Gives(CoapCode.Changed);
        await _world.SendAsync(refused, device.Client).Gives(CoapCode.BadRequest);
    }

    [Fact]
    public async Task Simple_registration_is_not_available_over_connections()
    {
        CoapClient client = _world.MakeClient("[2001:db8::3]:50000", "coap+tcp");

        CoapResponse response = await _world.PostAsync("/.well-known/rd?ep=a", client: client, uri: "coap+tcp://[2001:db8::1]");

        response.Gives(CoapCode.BadRequest);
        Assert.Contains("/rd", response.GetText());
    }

    [Fact]
    public async Task Concurrent_fetches_are_limited_with_a_share_for_each_source()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxFetches = 6);
        List<Task<CoapResponse>> answers = [];
        for (int i = 0; i < 6; i++)
        {
            Device silent = await Device.StartAsync(world, $"[2001:db8::9]:{6000 + i}");
            silent.Delay = FromMinutes(10);
            answers.Add(silent.Client.SendAsync(new CoapRequest(CoapMethod.Post, $"{Rd}?ep=s{i}")));
        }

        await world.Clock.AdvanceUntilAsync(() => world.Directory.GetCounters().FetchesRefused == 2, FromMinutes(1));
        Device other = await Device.StartAsync(world, "[2001:db8:1::9]:5683");

        Assert.Equal(4, world.Directory.GetCounters().Fetches);
        await other.RegisterAsync("?ep=other").Gives(CoapCode.Changed);
        await world.Clock.AdvanceUntilAsync(Task.WhenAll(answers), FromMinutes(5));
    }

    private sealed class Device
    {
        private readonly DirectoryWorld _world;

        private Device(DirectoryWorld world, CoapServer server)
        {
            (_world, Client) = (world, new CoapClient(server.Endpoint));
            server.Routes.MapGet("/.well-known/core", AnswerAsync);
        }

        /// <summary>Asks from where the device serves.</summary>
        public CoapClient Client { get; }

        public int Asked { get; private set; }

        public TimeSpan Delay { get; set; }

        public CoapResult Answer { get; set; } = CoapResults.Bytes("</sensor>;rt=\"light\""u8.ToArray(), CoapContentFormat.LinkFormat);

        public static async Task<Device> StartAsync(DirectoryWorld world, string address)
        {
            CoapServer server = world.MakeServer(address);
            Device device = new(world, server);
            await server.StartAsync();
            return device;
        }

        public Task<CoapResponse> RegisterAsync(string query) => _world.SendAsync(new CoapRequest(CoapMethod.Post, Rd + query), Client);

        private async Task<CoapResult> AnswerAsync(CoapRequestContext request, CancellationToken cancellationToken)
        {
            Asked++;
            if (Delay > TimeSpan.Zero)
            {
                await Task.Delay(Delay, _world.Clock, cancellationToken);
            }

            return Answer;
        }
    }
}
