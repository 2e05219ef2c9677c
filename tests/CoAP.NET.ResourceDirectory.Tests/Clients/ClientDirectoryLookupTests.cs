using CoAP.NET.ResourceDirectory.Clients;
using CoAP.NET.Tests;

namespace CoAP.NET.ResourceDirectory.Tests.Clients;

/// <summary>Asking a resource directory (RFC 9176 section 6).</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ClientDirectoryLookupTests
{
    [Fact]
    [Rfc("9176-6c-1")]
    public async Task Criteria_are_sent_as_query_arguments_and_results_have_absolute_targets()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        site.Directory.Add("node1", "coap://[2001:db8::7]:61616", new CoapLink("/t", new CoapLinkAttribute("rt", "temperature-c")),
            new CoapLink("/l", new CoapLinkAttribute("rt", "light")));
        CoapDirectoryClient directory = await site.DiscoverAsync();

        CoapLink resource = Assert.Single(await site.CollectAsync(
            directory.FindResourcesAsync(new CoapDirectoryQuery { ResourceType = "temp*" })));
        Assert.Equal("coap://[2001:db8::7]:61616/t", resource.Target);
        Assert.Equal("GET /resource-lookup/?rt=temp*", site.Directory.Requests[^1]);

        CoapDirectoryEndpoint endpoint = Assert.Single(await site.CollectAsync(
            directory.FindEndpointsAsync(new CoapDirectoryQuery { EndpointName = "node1" })));
        Assert.Equal(("node1", new CoapUri("coap://[2001:db8::7]:61616"), new CoapUri("coap://[2001:db8::1]/reg/1/")),
            (endpoint.Name, endpoint.Base, endpoint.Location));
        Assert.Null(endpoint.Sector);

        CoapDirectoryQuery all = new()
        {
            ResourceType = "a", Interface = "b", EndpointName = "c", Sector = "d", EndpointType = "e", Base = "f", Href = "g",
            Anchor = "h", More = { ["foot"] = "30&1=2" },
        };
        Assert.Empty(await site.CollectAsync(directory.FindEndpointsAsync(all)));
        Assert.Equal("GET /endpoint-lookup/?rt=a&if=b&ep=c&d=d&et=e&base=f&href=g&anchor=h&foot=30&1=2", site.Directory.Requests[^1]);
    }

    [Fact]
    public async Task Invalid_criteria_are_refused_before_a_request_is_sent()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        CoapDirectoryClient directory = await site.DiscoverAsync();

        Assert.Throws<ArgumentException>(() => directory.FindResourcesAsync(new CoapDirectoryQuery { More = { ["page"] = "1" } }));
        Assert.Throws<ArgumentException>(() => directory.FindResourcesAsync(new CoapDirectoryQuery { More = { ["a=b"] = "1" } }));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => directory.FindResourcesAsync(new CoapDirectoryQuery { ResourceType = new string('x', 300) }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapDirectoryQuery { PageSize = 0 });
        Assert.Empty(site.Directory.Requests);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(3, 2)]
    [InlineData(4, 3)]
    [InlineData(5, 3)]
    [Rfc("9176-6c-2")]
    public async Task Further_pages_are_requested_until_a_page_is_not_full(int links, int requests)
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        site.Directory.Add("node1", "coap://[2001:db8::7]", Links(links));
        CoapDirectoryClient directory = await site.DiscoverAsync();

        List<CoapLink> found = await site.CollectAsync(directory.FindResourcesAsync(new CoapDirectoryQuery { PageSize = 2 }));

        Assert.Equal(Links(links).Select(link => $"coap://[2001:db8::7]{link.Target}"), found.Select(link => link.Target));
        Assert.Equal(Enumerable.Range(0, requests).Select(page => $"GET /resource-lookup/?page={page}&count=2"),
            site.Directory.Requests);
    }

    [Fact]
    public async Task A_result_of_many_blocks_is_a_single_response()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        site.Directory.Add("node1", "coap://[2001:db8::7]", Links(2000));
        CoapDirectoryClient directory = await site.DiscoverAsync();

        Assert.Equal(2000, (await site.CollectAsync(directory.FindResourcesAsync())).Count);
    }

    [Fact]
    public async Task Each_result_of_a_directory_without_paging_is_returned_once()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        int given = 2;
        site.Directory.Answers = _ => CoapResults.Content(CoapLinkFormat.ToContent(Links(given)));
        CoapDirectoryClient directory = await site.DiscoverAsync();

        Assert.Equal(2, (await site.CollectAsync(directory.FindResourcesAsync(new CoapDirectoryQuery { PageSize = 2 }))).Count);
        given = 7;
        Assert.Equal(7, (await site.CollectAsync(directory.FindResourcesAsync(new CoapDirectoryQuery { PageSize = 2 }))).Count);
    }

    [Fact]
    public async Task Endless_pages_and_too_many_results_end_at_the_limit()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        int page = 0;
        site.Directory.Answers = _ => CoapResults.Content(CoapLinkFormat.ToContent(
            [new CoapLink($"/a{page++ % 2}"), new CoapLink("/b")]));
        CoapDirectoryClient directory = await site.DiscoverAsync(options: new CoapDirectoryClientOptions { MaxResults = 50 });

        CoapDirectoryException loop = await Assert.ThrowsAsync<CoapDirectoryException>(
            () => site.CollectAsync(directory.FindResourcesAsync(new CoapDirectoryQuery { PageSize = 2 })));
        loop.Mentions("more resources than 50");
        Assert.Equal(26, page);

        site.Directory.Answers = _ => CoapResults.Content(CoapLinkFormat.ToContent(Links(51)));
        await Assert.ThrowsAsync<CoapDirectoryException>(() => site.CollectAsync(directory.FindEndpointsAsync()));
    }

    [Fact]
    public async Task Invalid_lookup_responses_are_reported_by_kind()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        CoapDirectoryClient directory = await site.DiscoverAsync();

        site.Directory.Answers = _ => CoapResults.Text("</a>;title=\"x\u0007y\"", CoapContentFormat.LinkFormat);
        await Assert.ThrowsAsync<CoapProtocolException>(() => site.CollectAsync(directory.FindResourcesAsync()));
        site.Directory.Answers = _ => CoapResults.NotFound();
        CoapDirectoryException gone = await Assert.ThrowsAsync<CoapDirectoryException>(
            () => site.CollectAsync(directory.FindResourcesAsync()));
        gone.Mentions("discover it again");
        Assert.Equal(CoapCode.NotFound, gone.Response?.Code);

        CoapDirectoryClient without = new(site.Client, CoapUri.Parse(DirectorySite.Address + "/resourcedirectory/"));
        await Assert.ThrowsAsync<CoapDirectoryException>(() => site.CollectAsync(without.FindEndpointsAsync()));
    }

    [Fact]
    [Rfc("9176-4c-4")]
    public async Task A_lookup_waits_for_a_busy_directory_and_answers_an_Echo_challenge()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        site.Directory.Add("node1", "coap://[2001:db8::7]", Links(1));
        CoapDirectoryClient directory = await site.DiscoverAsync();
        int asked = 0;
        site.Directory.Answers = request => ++asked == 1 ? CoapResults.ServiceUnavailable(FromSeconds(5))
            : request.IsFresh(FromMinutes(1)) ? null : CoapResults.FreshnessRequired();

        Assert.Single(await site.CollectAsync(directory.FindResourcesAsync()));

        Assert.Equal(3, asked);
        Assert.InRange(site.Clock.Elapsed, FromSeconds(5), FromSeconds(6));
    }

    [Fact]
    [Rfc("9176-6c-3")]
    public async Task A_watch_reports_added_changed_and_removed_entries()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        CoapDirectoryClient directory = await site.DiscoverAsync();
        site.Directory.Add("node1", "coap://[2001:db8::7]", new CoapLink("/a"));
        SmallRegistration second = site.Directory.Add("node2", "coap://[2001:db8::8]", new CoapLink("/b"));
        await using IAsyncEnumerator<CoapDirectoryChange<CoapDirectoryEndpoint>> endpoints =
            directory.WatchEndpointsAsync().GetAsyncEnumerator();
        await using IAsyncEnumerator<CoapDirectoryChange<CoapLink>> resources =
            directory.WatchResourcesAsync(new CoapDirectoryQuery { ResourceType = "light" }).GetAsyncEnumerator();

        Assert.Equal((CoapDirectoryChangeKind.Added, "node1"), await NextAsync(site, endpoints));
        Assert.Equal((CoapDirectoryChangeKind.Added, "node2"), await NextAsync(site, endpoints));
        Task<bool> none = resources.MoveNextAsync().AsTask();

        // The directory's trouble passes.
        site.Directory.Answers = _ => CoapResults.ServiceUnavailable(FromSeconds(1));
        site.Directory.Notify();
        await site.Clock.SettleAsync();
        site.Directory.Answers = null;

        site.Directory.Remove(second);
        Assert.Equal((CoapDirectoryChangeKind.Removed, "node2"), await NextAsync(site, endpoints));
        site.Directory.Add("node3", "coap://[2001:db8::9]", new CoapLink("/l", new CoapLinkAttribute("rt", "light")));
        Assert.Equal((CoapDirectoryChangeKind.Added, "node3"), await NextAsync(site, endpoints));
        Assert.True(await site.RunAsync(none));
        Assert.Equal("coap://[2001:db8::9]/l", resources.Current.Item.Target);

        Task<CoapResponse> moved = site.Client.PostAsync(DirectorySite.Address + "/reg/1/?base=coap://%5B2001:db8::77%5D", null);
        Assert.True((await site.RunAsync(moved)).IsSuccess);
        Assert.Equal((CoapDirectoryChangeKind.Changed, "node1"), await NextAsync(site, endpoints));
        Assert.Equal(new CoapUri("coap://[2001:db8::77]"), endpoints.Current.Item.Base);
    }

    [Fact]
    public async Task A_directory_that_does_not_notify_is_polled()
    {
        await using DirectorySite site = await DirectorySite.StartAsync(new DirectorySite(notifies: false));
        CoapDirectoryClient directory = await site.DiscoverAsync();
        site.Directory.Add("node1", "coap://[2001:db8::7]", new CoapLink("/a"));
        await using IAsyncEnumerator<CoapDirectoryChange<CoapDirectoryEndpoint>> endpoints =
            directory.WatchEndpointsAsync().GetAsyncEnumerator();
        Assert.Equal((CoapDirectoryChangeKind.Added, "node1"), await NextAsync(site, endpoints));

        site.Directory.Add("node2", "coap://[2001:db8::8]");

        Assert.Equal((CoapDirectoryChangeKind.Added, "node2"), await NextAsync(site, endpoints));
    }

    [Fact]
    public async Task A_watch_ends_with_the_first_error_or_unreadable_response()
    {
        await using DirectorySite site = await DirectorySite.StartAsync();
        CoapDirectoryClient directory = await site.DiscoverAsync();
        site.Directory.Answers = _ => CoapResults.Forbidden();
        await using (IAsyncEnumerator<CoapDirectoryChange<CoapLink>> refused = directory.WatchResourcesAsync().GetAsyncEnumerator())
        {
            await Assert.ThrowsAsync<CoapDirectoryException>(() => site.RunAsync(refused.MoveNextAsync().AsTask()));
        }

        await using DirectorySite silent = new();
        CoapDirectoryClient away = new(silent.Client, null, CoapUri.Parse("coap://[2001:db8::55]/x"));
        await using IAsyncEnumerator<CoapDirectoryChange<CoapLink>> unanswered = away.WatchResourcesAsync().GetAsyncEnumerator();
        await Assert.ThrowsAsync<CoapTimeoutException>(() => silent.RunAsync(unanswered.MoveNextAsync().AsTask()));
    }

    [Fact]
    public void Each_copy_of_an_equal_link_is_added_and_removed_separately()
    {
        LookupResultComparer difference = new();
        CoapLink shared = new("coap://a/x", new CoapLinkAttribute("rt", "t"));

        Assert.Equal(2, difference.Take([shared, shared]).Count);
        Assert.Empty(difference.Take([shared, shared]));
        Assert.Equal([(CoapDirectoryChangeKind.Removed, shared)], difference.Take([shared]));
    }

    [Fact]
    public void Another_attribute_is_a_change_and_another_anchor_is_another_link()
    {
        LookupResultComparer difference = new();
        CoapLink shared = new("coap://a/x", new CoapLinkAttribute("rt", "t"));

        Assert.Single(difference.Take([shared]));
        Assert.Equal([(CoapDirectoryChangeKind.Changed, "coap://a/x")],
            difference.Take([shared.With("rt", "other")]).Select(change => (change.Kind, change.Link.Target)));

        Assert.Equal([CoapDirectoryChangeKind.Removed, CoapDirectoryChangeKind.Added],
            difference.Take([shared.With("anchor", "/y")]).Select(change => change.Kind));
    }

    private static CoapLink[] Links(int count) =>
        [.. Enumerable.Range(0, count).Select(i => new CoapLink($"/r{i.ToString(CultureInfo.InvariantCulture)}"))];

    private static async Task<(CoapDirectoryChangeKind, string?)> NextAsync(DirectorySite site,
        IAsyncEnumerator<CoapDirectoryChange<CoapDirectoryEndpoint>> changes)
    {
        Assert.True(await site.RunAsync(changes.MoveNextAsync().AsTask()));
        return (changes.Current.Kind, changes.Current.Item.Name);
    }
}
