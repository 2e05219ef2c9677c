namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>What strangers fill has a bound, and a share for each.</summary>
[Collection(VirtualTimeCollection.Name)]
public class DirectoryBoundTests
{
    private const string Secured = "coaps://[2001:db8::1]";

    [Fact]
    public async Task A_source_cannot_use_the_registrations_of_other_sources()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxRegistrations = 100);
        CoapClient other = world.MakeClient("[2001:db8:1::2]:5683");
        int taken = 0;
        CoapResponse response;
        while ((response = await world.PostAsync($"/rd?ep=a{taken}", "</x>")).Code == CoapCode.Created)
        {
            taken++;
        }

        Assert.Equal(51, taken);
        response.Gives(CoapCode.Forbidden);
        Assert.Contains("Remove some", response.GetText());
        await world.PostAsync("/rd?ep=b", "</x>", other).Gives(CoapCode.Created);
        await world.PostAsync("/rd?ep=a1", "</y>").Gives(CoapCode.Created);
    }

    [Fact]
    public async Task A_client_is_a_single_source_across_all_its_sessions_and_addresses()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxRegistrationsPerSource = 3);
        List<CoapCode> codes = [];
        for (int i = 0; i < 5; i++)
        {
            CoapClient alice = world.MakeClient($"[2001:db8:{i:x}::3]:6000", "coaps", CoapTestIdentity.Psk("alice"));
            codes.Add((await world.PostAsync($"/rd?ep=a{i}", "</x>", alice, Secured)).Code);
        }

        Assert.Equal([CoapCode.Created, CoapCode.Created, CoapCode.Created, CoapCode.Forbidden, CoapCode.Forbidden], codes);
    }

    [Fact]
    public async Task A_full_directory_accepts_known_endpoints_and_answers_new_endpoints_5_03_with_Max_Age()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxRegistrations = 4);
        CoapClient[] clients = [.. Enumerable.Range(0, 5).Select(i => world.MakeClient($"[2001:db8:{i + 1:x}::2]:5683"))];
        for (int i = 0; i < 4; i++)
        {
            await world.RegisterAsync($"ep=a{i}&lt=1000", "</x>", clients[i]);
        }

        CoapResponse full = await world.PostAsync("/rd?ep=b", "</x>", clients[4]);
        string known = await world.RegisterAsync("ep=a0&lt=2000", "</y>", clients[0]);

        full.Gives(CoapCode.ServiceUnavailable);
        Assert.Equal(FromMinutes(1), full.MaxAge);

        // Those whose lifetime is over give way.
        world.Clock.Advance(FromSeconds(1001));
        await world.RegisterAsync("ep=b", "</x>", clients[4]);
        Assert.Equal(2, world.Directory.Count);
        await world.PostAsync(known, client: clients[0]).Gives(CoapCode.Changed);
    }

    [Fact]
    public async Task The_bytes_of_registrations_are_limited_like_their_number()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxBytes = 64 * 1024);
        string large = $"</x>;title=\"{new string('a', 8_000)}\"";
        int taken = 0;
        while ((await world.PostAsync($"/rd?ep=a{taken}", large)).Code == CoapCode.Created)
        {
            taken++;
        }

        Assert.InRange(taken, 2, 5);
        Assert.InRange(world.Directory.Core.Index.Quota.Bytes, 1, 40_000);
        await world.PostAsync("/rd?ep=b", large, world.MakeClient("[2001:db8:1::2]:5683")).Gives(CoapCode.Created);
    }

    [Fact]
    public async Task The_links_bytes_and_values_of_a_registration_are_limited()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options =>
        {
            options.Limits.MaxLinks = 3;
            options.Limits.MaxLinkBytes = 400;
            options.Limits.MaxTerms = 8;
        });

        CoapResponse links = await world.PostAsync("/rd?ep=a", "</1>,</2>,</3>,</4>");
        CoapResponse bytes = await world.PostAsync("/rd?ep=a", $"</1>;title=\"{new string('a', 400)}\"");
        CoapResponse values = await world.PostAsync("/rd?ep=a", $"</1>;rt=\"{string.Join(' ', Enumerable.Range(0, 20))}\"");

        Assert.Equal((CoapCode.BadRequest, CoapCode.RequestEntityTooLarge, CoapCode.BadRequest), (links.Code, bytes.Code, values.Code));
        Assert.Contains("3", links.GetText());
        Assert.Contains("8", values.GetText());
        Assert.Equal(0, world.Directory.Count);
    }

    [Fact]
    public async Task The_results_and_bytes_of_a_lookup_are_limited_and_the_error_says_what_to_do()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options =>
        {
            options.Limits.MaxResults = 50;
            options.Limits.MaxScanned = 128;
            options.Limits.MaxCriteriaPerLookup = 2;
        });
        for (int i = 0; i < 200; i++)
        {
            await world.RegisterAsync($"ep=a{i}", $"</x>;rt=\"all one{i % 100}\";title=\"{i}\"");
        }

        CoapResponse all = await world.GetAsync("/rd-lookup/res");
        CoapResponse page = await world.GetAsync("/rd-lookup/res?rt=all&page=3&count=50");
        CoapResponse larger = await world.GetAsync("/rd-lookup/res?rt=all&page=0&count=51");
        CoapResponse scan = await world.GetAsync("/rd-lookup/res?title=x");
        CoapResponse many = await world.GetAsync("/rd-lookup/res?a=1&b=1&c=1");

        all.Gives(CoapCode.BadRequest);
        Assert.Contains("page=0", all.GetText());
        Assert.Equal(50, CoapLinkFormat.Parse(page.Payload.Span).Count);
        Assert.Contains("smaller count", larger.GetText());
        Assert.Equal((CoapCode.Content, ""), (scan.Code, scan.GetText()));
        Assert.Contains("2 criteria", many.GetText());
        Assert.Equal(2, CoapLinkFormat.Parse(await world.LinksAsync("rt=one7")).Count);
    }

    [Fact]
    public async Task A_new_source_can_register_although_a_few_identities_exhausted_the_limit()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options =>
        {
            options.Limits.MaxRegistrations = 400;
            options.Limits.MaxRegistrationsPerSource = 100;
        });
        for (int identity = 0; identity < 6; identity++)
        {
            CoapClient greedy = world.MakeClient(
                $"[2001:db8:{identity + 1:x}::3]:6000", "coaps", CoapTestIdentity.Psk($"greedy {identity}"));
            for (int i = 0; i < 120; i++)
            {
                CoapResponse response = await world.PostAsync($"/rd?ep=g{identity}-{i}", "</x>;rt=\"greedy\"", greedy, Secured);
                Assert.True(response.Code == CoapCode.Created || response.Code == CoapCode.Forbidden
                    || response.Code == CoapCode.ServiceUnavailable, $"{response.Code} {response.GetText()}");
            }
        }

        Assert.Equal(400, world.Directory.GetCounters().StoredRegistrations);
        long before = world.Directory.GetCounters().Evicted;
        for (int i = 0; i < 20; i++)
        {
            await world.RegisterAsync($"ep=honest-{i}", "</x>;rt=\"honest\"");
        }

        CoapDirectoryCounters counters = world.Directory.GetCounters();
        Assert.Equal((400, before + 20), (counters.StoredRegistrations, counters.Evicted));
        Assert.Equal(20, CoapLinkFormat.Parse(await world.LinksAsync("rt=honest")).Count);
        Assert.Equal(380, CoapLinkFormat.Parse(await world.LinksAsync("rt=greedy")).Count);
    }

    [Fact]
    public async Task The_registration_without_a_refresh_for_the_longest_time_is_evicted_and_may_return_later()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxRegistrations = 8);
        CoapClient[] clients = [.. Enumerable.Range(1, 3).Select(i => world.MakeClient($"[2001:db8:{i:x}::2]:5683"))];
        Dictionary<string, string> locations = [];
        foreach ((int client, int count) in new[] { (0, 4), (1, 3), (2, 1) })
        {
            for (int i = 0; i < count; i++)
            {
                locations.Add($"{client}-{i}", await world.RegisterAsync($"ep={client}-{i}", "</x>", clients[client]));
            }
        }

        await world.PostAsync(locations["0-0"], client: clients[0]).Gives(CoapCode.Changed);
        await world.RegisterAsync("ep=honest", "</x>");

        Assert.Equal(1, world.Directory.GetCounters().Evicted);
        Assert.DoesNotContain("ep=\"0-1\"", await world.EndpointsAsync());
        Assert.Equal(8, world.Directory.Count);
        await world.PostAsync(locations["0-1"], client: clients[0]).Gives(CoapCode.NotFound);
        await world.PostAsync("/rd?ep=0-1", "</x>", clients[0]).Gives(CoapCode.Forbidden);
        foreach (int i in new[] { 0, 1, 2 })
        {
            await world.DeleteAsync(locations[$"1-{i}"], clients[1]).Gives(CoapCode.Deleted);
        }

        await world.DeleteAsync(locations["0-3"], clients[0]).Gives(CoapCode.Deleted);
        Assert.Equal(locations["0-1"], await world.RegisterAsync("ep=0-1", "</x>", clients[0]));
    }

    [Fact]
    public async Task The_source_with_the_most_bytes_is_evicted_like_that_with_the_most_registrations()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxBytes = 64 * 1024);
        string large = $"</x>;title=\"{new string('a', 8_000)}\"";
        for (int source = 1; source < 5; source++)
        {
            CoapClient client = world.MakeClient($"[2001:db8:{source:x}::2]:5683");
            for (int i = 0; i < 4; i++)
            {
                await world.PostAsync($"/rd?ep=g{source}-{i}", large, client);
            }
        }

        CoapDirectoryCounters before = world.Directory.GetCounters();
        await world.RegisterAsync("ep=honest", large);

        Assert.Equal((before.StoredRegistrations, before.Evicted + 1), (world.Directory.Count, world.Directory.GetCounters().Evicted));
        Assert.InRange(world.Directory.GetCounters().Bytes, 7 * 8_000, 64 * 1024);
    }

    [Fact]
    public async Task Forged_addresses_get_half_of_the_capacity_and_evict_no_registration()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxRegistrations = 20);
        await world.RegisterAsync("ep=first", "</x>");
        for (int i = 0; i < 100; i++)
        {
            // POST /rd?ep=fNN of another network each, from which nobody ever answers.
            ScriptedPeer forged = world.Network.CreatePeer(
                InMemoryNetwork.Address($"[2001:db8:{i + 0x100:x}::66]:5683"), InMemoryNetwork.Address("[2001:db8::1]:5683"));
            forged.Send(
            [
                0x50, 0x02, 0x10, (byte)i, 0xb2, .. "rd"u8, 0x11, 40, 0x36, .. Encoding.ASCII.GetBytes($"ep=f{i:d2}"), 0xff, .. "</y>"u8,
            ]);
            world.Clock.Advance(FromMilliseconds(10));
        }

        CoapDirectoryCounters counters = world.Directory.GetCounters();
        Assert.Equal((10, 91L, 0L), (counters.StoredRegistrations, counters.Challenges, counters.Evicted));

        // Clients that answer the challenge find places as before.
        for (int i = 0; i < 10; i++)
        {
            await world.RegisterAsync($"ep=later-{i}", "</x>", world.MakeClient($"[2001:db8:{i + 1:x}::2]:5683"));
        }

        Assert.Equal((20, 0L), (world.Directory.Count, world.Directory.GetCounters().Evicted));
    }
}
