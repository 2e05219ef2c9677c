using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Tests.Clients;

/// <summary>Finding a resource directory (RFC 9176 section 4).</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DirectoryDiscoveryTests
{
    private static readonly IPAddress s_directory = IPAddress.Parse("2001:db8::1");
    private static readonly IPAddress s_silent = IPAddress.Parse("2001:db8::66");

    [Fact]
    [Rfc("9176-4c-1")]
    public async Task A_directory_is_discovered_by_its_address_with_all_its_URIs()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();

        CoapDirectoryClient found = await site.DiscoverAsync("coap://[2001:db8::1]/some/path");

        Assert.Equal("coap://[2001:db8::1]/resourcedirectory/", found.Registration?.ToString());
        Assert.Equal("coap://[2001:db8::1]/endpoint-lookup/", found.EndpointLookup?.ToString());
        Assert.Equal("coap://[2001:db8::1]/resource-lookup/", found.ResourceLookup?.ToString());
        Assert.Null(found.Address);
    }

    [Fact]
    [Rfc("9176-4c-2")]
    public async Task The_URIs_of_a_directory_may_have_any_scheme_and_host()
    {
        await using DirectorySite site = new();
        CoapServer server = site.MakeServer("[2001:db8::2]:5683");
        server.MapGet("/x", () => "x")
            .WithLink(new CoapLink("http://rd.example/rd", new CoapLinkAttribute("rt", "core.rd")))
            .WithLink(new CoapLink("coap+tcp://rd.example:7000/rd", new CoapLinkAttribute("rt", "core.rd"), new("ct", "64")))
            .WithLink(new CoapLink("coaps://[2001:db8::3]/a/b", new CoapLinkAttribute("rt", "other core.rd"), new("ct", "64 40")))
            .WithLink(new CoapLink("//rd.example/look", new CoapLinkAttribute("rt", "core.rd-lookup-res")))
            .WithLink(new CoapLink("coap://[ff02::1]/group", new CoapLinkAttribute("rt", "core.rd-lookup-ep")));
        await site.StartServersAsync();

        CoapDirectoryClient found = await site.DiscoverAsync("coap://[2001:db8::2]");

        Assert.Equal("coaps://[2001:db8::3]/a/b", found.Registration?.ToString());
        Assert.Equal("coap://rd.example/look", found.ResourceLookup?.ToString());
        Assert.Null(found.EndpointLookup);
    }

    [Fact]
    public async Task The_next_address_of_a_name_is_tried_when_the_first_is_silent_and_is_then_kept()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        site.Names["rd.example"] = [s_silent, s_directory];
        List<string?> hosts = [];
        site.Directory.Answers = request =>
        {
            hosts.Add(request.Options.UriHost);
            return null;
        };
        site.Directory.Add("node1", "coap://[2001:db8::7]", new CoapLink("/t"));

        CoapDirectoryClient found = await site.DiscoverAsync("coap://rd.example");
        Assert.Equal(s_directory, found.Address);
        Assert.InRange(site.Clock.Elapsed, FromSeconds(2), FromSeconds(2.1));
        Assert.Equal("coap://rd.example/endpoint-lookup/", found.EndpointLookup?.ToString());

        int sent = SentTo(site, s_silent);
        Assert.Single(await site.CollectAsync(found.FindEndpointsAsync()));
        Assert.Equal(sent, SentTo(site, s_silent));
        Assert.Equal(["rd.example"], hosts);
    }

    [Fact]
    public async Task The_next_address_of_a_name_is_tried_at_once_when_a_host_is_unreachable()
    {
        await using DirectorySite site = new();
        CoapServer other = site.MakeServer("[2001:db8::66]:5683");
        other.MapGet("/x", () => "x");
        site.Names["rd.example"] = [s_silent, s_directory];
        await site.StartServersAsync();

        CoapDirectoryClient found = await site.DiscoverAsync("coap://rd.example");

        Assert.Equal(s_directory, found.Address);
        Assert.InRange(site.Clock.Elapsed, TimeSpan.Zero, FromSeconds(1));
    }

    [Fact]
    public async Task The_error_for_a_name_without_a_directory_describes_the_result_of_each_address()
    {
        await using DirectorySite site = new();
        site.MakeServer("[2001:db8::67]:5683").MapGet("/x", () => "x");
        site.Names["rd.example"] = [s_silent, IPAddress.Parse("2001:db8::67")];
        await site.StartServersAsync();

        CoapDirectoryException exception = await Assert.ThrowsAsync<CoapDirectoryException>(() => site.DiscoverAsync("coap://rd.example"));

        exception.Mentions("None of the 2 addresses of rd.example");
        exception.Mentions("2001:db8::67) answered, but lists no resource directory");
        exception.Mentions("[2001:db8::66]");
        Assert.InRange(site.Clock.Elapsed, FromSeconds(29), FromSeconds(31));
    }

    [Fact]
    public async Task A_host_that_answers_with_an_error_or_without_link_format_is_not_a_directory()
    {
        await using DirectorySite site = new();
        site.MakeServer("[2001:db8::2]:5683").MapGet("/.well-known/core", () => CoapResults.Forbidden());
        site.MakeServer("[2001:db8::3]:5683").MapGet("/.well-known/core",
            () => CoapResults.Text("</rd>;rt=\"core.rd\u0001\"", CoapContentFormat.LinkFormat));
        await site.StartServersAsync();

        CoapDirectoryException refused = await Assert.ThrowsAsync<CoapDirectoryException>(
            () => site.DiscoverAsync("coap://[2001:db8::2]"));
        Assert.Equal(CoapCode.Forbidden, refused.Response?.Code);
        await Assert.ThrowsAsync<CoapProtocolException>(() => site.DiscoverAsync("coap://[2001:db8::3]"));
        await Assert.ThrowsAsync<ArgumentException>(() => CoapDirectoryClient.DiscoverAsync(site.Client, "http://rd.example"));
    }

    [Fact]
    public async Task A_busy_host_is_requested_again_after_its_Max_Age()
    {
        await using DirectorySite site = new(client: options => options.TooManyRequests = CoapTooManyRequestsBehavior.None);
        int asked = 0;
        site.MakeServer("[2001:db8::2]:5683").MapGet("/.well-known/core", () => ++asked == 1
            ? CoapResults.ServiceUnavailable(FromSeconds(5))
            : CoapResults.Text("</rd>;rt=\"core.rd\"", CoapContentFormat.LinkFormat));
        await site.StartServersAsync();

        CoapDirectoryClient found = await site.DiscoverAsync("coap://[2001:db8::2]");

        found.Registration?.ToString().Ends("/rd");
        Assert.Equal(2, asked);
        Assert.InRange(site.Clock.Elapsed, FromSeconds(5), FromSeconds(8));
    }

    [Fact]
    [Rfc("9176-4c-3")]
    public async Task Directories_are_discovered_by_their_multicast_group()
    {
        await using DirectorySite site = new();
        CoapAddress group = InMemoryNetwork.Address("[ff02::fe]:5683");
        string[] members = ["[2001:db8::20]:5683", "[2001:db8::21]:61616", "[2001:db8::22]:5683"];
        CoapGroupOptions joined = new() { GroupSize = 4, ResponseRate = 1000 };
        joined.Addresses.Add(IPAddress.Parse("ff02::fe"));
        foreach (string address in members[..2])
        {
            site.MakeMember(address, server =>
            {
                server.JoinGroups(joined);
                _ = new SmallDirectory(server, site.Clock);
            });
        }

        site.MakeMember(members[2], server =>
        {
            server.JoinGroups(joined);
            server.MapGet("/light", () => "on").WithResourceType("light");
        });
        await site.StartServersAsync();
        Array.ForEach(members, member => site.Network.JoinGroup(InMemoryNetwork.Address(member), group));

        List<CoapDirectoryClient> all =
            await site.CollectAsync(CoapDirectoryClient.DiscoverAllAsync(site.Client, CoapDirectoryClient.LinkLocalGroup));
        Assert.Equal(
            ["coap://[2001:db8::20]/resourcedirectory/", "coap://[2001:db8::21]:61616/resourcedirectory/"],
            all.Select(found => found.Registration?.ToString()).Order());

        CoapDirectoryClient one = await site.DiscoverAsync(CoapDirectoryClient.LinkLocalGroup.ToString());
        Assert.NotNull(one.Registration);
    }

    [Fact]
    public async Task A_group_without_a_directory_is_reported_after_the_timeout()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();

        CoapDirectoryException exception = await Assert.ThrowsAsync<CoapDirectoryException>(
            () => site.DiscoverAsync(
                CoapDirectoryClient.LinkLocalGroup.ToString(), new CoapDirectoryClientOptions { Timeout = FromSeconds(8) }));

        exception.Mentions("within 8 s");
    }

    [Fact]
    public async Task Cancelling_ends_the_search()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        site.Names["rd.example"] = [s_silent, s_silent];
        using CancellationTokenSource stop = new();
        Task<CoapDirectoryClient> search = CoapDirectoryClient.DiscoverAsync(site.Client, "coap://rd.example", null, stop.Token);
        await site.RunAsync(() => SentTo(site, s_silent) == 2);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => site.RunAsync(search));
    }

    private static int SentTo(DirectorySite site, IPAddress address) => site.Network.Trace.Count(
        item => item.Kind == NetworkEventKind.Sent && item.Packet!.To.ToIPAddress().Equals(address));
}
