using System.Buffers;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Lookups that no index narrows down: results are complete, and other lookups continue.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class LongLookupTests
{
    // More than a part of an index holds.
    private const int Endpoints = 600;

    [Theory]
    [InlineData("ep=n1*", "n1")]
    [InlineData("href=coap://h1*", "n1")]
    [InlineData("title=*&ep=n39*", "n39")]
    [InlineData("base=coap://h39*&rt=all", "n39")]
    public async Task A_lookup_over_many_registrations_finds_all_results_and_its_pages_are_parts_of_them(
        string query, string begin)
    {
        await using DirectoryWorld world = await StartAsync();
        IEnumerable<string> expected = Enumerable.Range(0, Endpoints).Select(i => $"n{i}")
            .Where(name => name.StartsWith(begin, Ordinal)).Order(StringComparer.Ordinal);

        string all = await world.EndpointsAsync(query);
        List<string> pages = [];
        do
        {
            pages.Add(await world.EndpointsAsync($"page={pages.Count}&count=7&{query}"));
        }
        while (pages[^1].Length > 0);

        Assert.Equal(expected, Names(all).Order(StringComparer.Ordinal));
        Assert.Equal(all, string.Join(',', pages.Where(page => page.Length > 0)));
        Assert.NotEqual(0, world.Directory.GetCounters().Scans);
        Assert.Equal(0, world.Directory.GetCounters().LookupsRefused);
    }

    [Fact]
    public async Task Locations_are_found_by_their_prefix_without_a_scan()
    {
        await using DirectoryWorld world = await StartAsync();
        string[] locations = [.. CoapLinkFormat.Parse(await world.EndpointsAsync("rt=core.rd-ep")).Select(link => link.Target)];
        int[] lengths = [0, 1, 3, 4, 5, 6, 8, 14, 15, 19, 20];

        foreach (string location in locations.Take(5))
        {
            foreach (int length in lengths)
            {
                string begin = location[..length];
                Assert.Equal(
                    locations.Where(one => one.StartsWith(begin, Ordinal)),
                    CoapLinkFormat.Parse(await world.EndpointsAsync($"href={begin}*")).Select(link => link.Target)
                        .Where(target => target.StartsWith('/')));
            }

            Assert.Single(CoapLinkFormat.Parse(await world.EndpointsAsync($"href={location}")));
            Assert.Equal("", await world.EndpointsAsync($"href={location[..^1]}"));
        }

        long before = world.Directory.GetCounters().Scans;
        foreach (string nothing in (string[])["/a*", "/rd/!*", "/rd/aaaaaaaaaaaaaaaaa*", "/rdx*", "/rd", "/1/temp"])
        {
            Assert.Equal("", await world.LinksAsync("href=" + nothing));
        }

        // A beginning of four characters leaves a few at most.
        await world.LinksAsync($"href={locations[0][..8]}*");
        Assert.Equal(before, world.Directory.GetCounters().Scans);
    }

    [Fact]
    public async Task A_source_cannot_use_the_whole_capacity_for_long_lookups_and_refused_lookups_may_be_repeated()
    {
        await using DirectoryWorld world = await StartAsync(options => options.Limits.MaxScans = 8);
        DirectoryServerState core = world.Directory.Core;
        LookupScanner scans = core.Scans;
        await scans.Turn.WaitAsync();
        List<Task<LookupFault>> all = [];
        for (int i = 0; i < 10; i++)
        {
            all.Add(BeginAsync(i < 6 ? "2001:db8::1" : $"2001:db8:{i:x}00::1"));
        }

        // One source gets four places, and each other source gets one.
        Assert.Equal([false, false, false, false, true, true, false, false, false, false], all.Select(one => one.IsCompleted));
        Assert.Equal((8, true), (scans.InProgress, all.Take(6).Where(one => one.IsCompleted).All(
            one => one.Result == LookupFault.TooMuchWork)));
        scans.Turn.Release();
        await world.Clock.AdvanceUntilAsync(Task.WhenAll(all), FromMinutes(1));
        Assert.Equal(8, all.Count(one => one.Result == LookupFault.None));

        Assert.Equal(LookupFault.None, await world.Clock.AdvanceUntilAsync(BeginAsync("2001:db8::1"), FromMinutes(1)));
        Assert.Equal(0, scans.InProgress);

        Task<LookupFault> BeginAsync(string address)
        {
            Assert.Null(Lookup.TryRead(["title=x"], ofLinks: true, 16, out Lookup? lookup));
            ArrayBufferWriter<byte> answer = new();
            CoapQuotaSource source =
                CoapSourceGroupingRule.Default.Of(CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(address), 1)));
            return scans.FinishAsync(source, lookup!, 0, answer, core.Lookups.Begin(lookup!), CancellationToken.None).AsTask();
        }
    }

    [Fact]
    public async Task A_long_lookup_without_free_capacity_gets_5_03_and_short_lookups_continue()
    {
        await using DirectoryWorld world = await StartAsync(
            options => (options.Limits.MaxScans, options.Limits.MaxScansPerSource) = (1, 1));
        DirectoryServerState core = world.Directory.Core;
        await core.Scans.Turn.WaitAsync();
        Task<CoapResponse> first = world.MakeClient("[2001:db8:1::2]:5683").GetAsync(DirectoryWorld.Uri + "/rd-lookup/ep?ep=n2*");
        await world.Clock.AdvanceUntilAsync(() => core.Scans.InProgress == 1, FromMinutes(1));

        CoapResponse refused = await world.GetAsync("/rd-lookup/ep?ep=n1*");
        string found = await world.EndpointsAsync("ep=n1");
        core.Scans.Turn.Release();

        Assert.Equal((CoapCode.ServiceUnavailable, FromSeconds(5)), (refused.Code, refused.MaxAge));
        Assert.Equal(["n1"], Names(found));
        Assert.Equal(1, world.Directory.GetCounters().ScansRefused);
        Assert.Equal(111, Names((await world.Clock.AdvanceUntilAsync(first, FromMinutes(1))).GetText()).Count());
    }

    [Theory]
    [InlineData("ep=n*")]
    [InlineData("href=/*")]
    [InlineData("href=/rd/*&rt=core.rd-ep")]
    [InlineData("rt=all&ep=n*")]
    public async Task A_lookup_that_ends_with_too_many_results_takes_a_place_and_counts_as_a_scan(string query)
    {
        await using DirectoryWorld world = await StartAsync(
            options => (options.Limits.MaxScans, options.Limits.MaxScansPerSource, options.Limits.MaxResults) = (1, 1, 10));
        DirectoryServerState core = world.Directory.Core;
        await core.Scans.Turn.WaitAsync();
        Task<CoapResponse> first = world.MakeClient("[2001:db8:1::2]:5683").GetAsync($"{DirectoryWorld.Uri}/rd-lookup/ep?{query}");
        await world.Clock.AdvanceUntilAsync(() => core.Scans.InProgress == 1, FromMinutes(1));

        CoapResponse second = await world.GetAsync($"/rd-lookup/ep?{query}");
        core.Scans.Turn.Release();
        CoapResponse refused = await world.Clock.AdvanceUntilAsync(first, FromMinutes(1));

        Assert.Equal((CoapCode.ServiceUnavailable, FromSeconds(5)), (second.Code, second.MaxAge));
        refused.Gives(CoapCode.BadRequest);
        CoapDirectoryCounters counters = world.Directory.GetCounters();
        Assert.Equal((1, 1, 1, 0), (counters.Scans, counters.ScansRefused, counters.LookupsRefused, core.Scans.InProgress));
    }

    [Theory]
    [InlineData("", false, true)]
    [InlineData("", true, true)]
    [InlineData("rt=core.rd-ep", false, true)]
    [InlineData("rt=all", false, true)]
    [InlineData("rt=all", true, true)]
    [InlineData("rt=all&page=0&count=11", true, true)]
    [InlineData("page=0&count=10", false, false)]
    [InlineData("page=50&count=10", true, false)]
    [InlineData("ep=n7", false, false)]
    public async Task A_lookup_with_too_many_results_by_the_counts_of_the_index_reads_no_registration(
        string query, bool ofLinks, bool isRefused)
    {
        await using DirectoryWorld world = await StartAsync(options => options.Limits.MaxResults = 10);
        Assert.Null(Lookup.TryRead(query.Split('&', StringSplitOptions.RemoveEmptyEntries), ofLinks, 16, out Lookup? lookup));

        LookupFault fault = world.Directory.Core.Lookups.Run(lookup!, 0, new ArrayBufferWriter<byte>(), out int seen);

        Assert.Equal((isRefused ? LookupFault.TooManyResults : LookupFault.None, isRefused), (fault, seen == 0));
    }

    [Fact]
    public async Task A_lookup_over_very_many_registrations_is_answered_and_cannot_be_observed()
    {
        await using DirectoryWorld world = await StartAsync();
        CoapRequest request = new(CoapMethod.Get, DirectoryWorld.Uri + "/rd-lookup/ep?ep=n39*");
        request.Options.Observe = 0;

        CoapResponse response = await world.SendAsync(request);

        response.Gives(CoapCode.Content);
        Assert.Null(response.Options.Observe);
        Assert.Equal(11, Names(response.GetText()).Count());
    }

    private static async Task<DirectoryWorld> StartAsync(Action<CoapDirectoryOptions>? configure = null)
    {
        DirectoryWorld world = await DirectoryWorld.StartAsync(options =>
        {
            options.Limits.MaxScanned = 64;
            configure?.Invoke(options);
        });
        for (int i = 0; i < Endpoints; i++)
        {
            Registration made = Registration.Make(
                new RegistrationRefreshHeader(new DirectoryOwner(1, 1, (ulong)i % 16), 0), new RegistrationFields
                {
                    Lifetime = 1_000,
                    LinkCount = 1,
                    Base = Encoding.UTF8.GetBytes($"coap://h{i}"),
                    Endpoint = Encoding.UTF8.GetBytes($"n{i}"),
                    Links = Encoding.UTF8.GetBytes($"</x>;rt=\"all\";title=\"{i}\""),
                });
            await world.Directory.Core.AskAsync(
                world.Directory.Core.KeyOf(default, made.Endpoint), DirectorySlotOwnerRequest.Operation.Register,
                new RegistrantIdentity(made.Owner, true, [], 0), null, made.Bytes, CancellationToken.None);
        }

        return world;
    }

    private static IEnumerable<string?> Names(string links) => CoapLinkFormat.Parse(links).Select(link => link.GetValue("ep"));
}
