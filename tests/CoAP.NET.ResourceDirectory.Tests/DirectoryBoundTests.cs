using System.Globalization;
using System.Text;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>What strangers fill has a bound, and a share for each.</summary>
[Collection(VirtualTimeCollection.Name)]
public class DirectoryBoundTests
{
    private const string Secured = "coaps://[2001:db8::1]";

    [Fact]
    public async Task One_source_cannot_take_the_places_of_others()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(static options => options.MaxRegistrations = 100);
        CoapClient other = world.MakeClient("[2001:db8:1::2]:5683");
        int taken = 0;
        CoapResponse response;
        while ((response = await world.PostAsync($"/rd?ep=a{taken}", "</x>")).Code == CoapCode.Created)
        {
            taken++;
        }

        Assert.Equal(50, taken);
        Assert.Equal(CoapCode.Forbidden, response.Code);
        Assert.Contains("Remove some", response.GetText());
        Assert.Equal(CoapCode.Created, (await world.PostAsync("/rd?ep=b", "</x>", other)).Code);
        Assert.Equal(CoapCode.Created, (await world.PostAsync("/rd?ep=a1", "</y>")).Code);
    }

    [Fact]
    public async Task A_client_is_one_source_over_all_its_sessions_and_addresses()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(static options => options.MaxRegistrationsPerSource = 3);
        List<CoapCode> codes = [];
        for (int i = 0; i < 5; i++)
        {
            CoapClient alice = world.MakeClient($"[2001:db8:{i:x}::3]:6000", "coaps", CoapTestIdentity.Psk("alice"));
            codes.Add((await world.PostAsync($"/rd?ep=a{i}", "</x>", alice, Secured)).Code);
        }

        Assert.Equal([CoapCode.Created, CoapCode.Created, CoapCode.Created, CoapCode.Forbidden, CoapCode.Forbidden], codes);
    }

    [Fact]
    public async Task When_the_directory_is_full_known_endpoints_go_on_and_new_ones_are_told_when_to_come_again()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(static options => options.MaxRegistrations = 4);
        CoapClient[] clients = [.. Enumerable.Range(0, 5).Select(i => world.MakeClient($"[2001:db8:{i + 1:x}::2]:5683"))];
        for (int i = 0; i < 4; i++)
        {
            await world.RegisterAsync($"ep=a{i}&lt=1000", "</x>", clients[i]);
        }

        CoapResponse full = await world.PostAsync("/rd?ep=b", "</x>", clients[4]);
        string known = await world.RegisterAsync("ep=a0&lt=2000", "</y>", clients[0]);

        Assert.Equal(CoapCode.ServiceUnavailable, full.Code);
        Assert.Equal(TimeSpan.FromMinutes(1), full.MaxAge);

        // Those whose lifetime is over give way.
        world.Clock.Advance(TimeSpan.FromSeconds(1001));
        await world.RegisterAsync("ep=b", "</x>", clients[4]);
        Assert.Equal(2, world.Directory.Count);
        Assert.Equal(CoapCode.Changed, (await world.PostAsync(known, client: clients[0])).Code);
    }

    [Fact]
    public async Task Bytes_are_bounded_as_places_are()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(static options => options.MaxBytes = 64 * 1024);
        string large = $"</x>;title=\"{new string('a', 8_000)}\"";
        int taken = 0;
        while ((await world.PostAsync($"/rd?ep=a{taken}", large)).Code == CoapCode.Created)
        {
            taken++;
        }

        Assert.InRange(taken, 2, 5);
        Assert.InRange(world.Directory.Core.Index.Shares.Bytes, 1, 40_000);
        Assert.Equal(CoapCode.Created,
            (await world.PostAsync("/rd?ep=b", large, world.MakeClient("[2001:db8:1::2]:5683"))).Code);
    }

    [Fact]
    public async Task A_registration_has_bounds_of_links_bytes_and_values()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(static options =>
        {
            options.MaxLinks = 3;
            options.MaxLinkBytes = 400;
            options.MaxTerms = 8;
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
    public async Task A_look_up_has_bounds_of_results_bytes_and_work_that_say_what_to_do()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(static options =>
        {
            options.MaxResults = 50;
            options.MaxScanned = 128;
            options.MaxCriteriaPerLookUp = 2;
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

        Assert.Equal(CoapCode.BadRequest, all.Code);
        Assert.Contains("page=0", all.GetText());
        Assert.Equal(50, CoapLinkFormat.Parse(page.Payload.Span).Count);
        Assert.Contains("smaller count", larger.GetText());
        Assert.Equal(CoapCode.BadRequest, scan.Code);
        Assert.Contains("rt", scan.GetText());
        Assert.Contains("2 criteria", many.GetText());
        Assert.Equal(2, CoapLinkFormat.Parse(await world.LinksAsync("rt=one7")).Count);
    }

    [Fact]
    public async Task Registrations_by_the_ten_thousand_from_few_sources_leave_the_rest_of_the_room()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(static options =>
        {
            options.MaxRegistrations = 2_000;
            options.MaxRegistrationsPerSource = 500;
        });
        DirectoryCore core = world.Directory.Core;
        byte[] links = Encoding.UTF8.GetBytes("</x>;rt=\"a\"");
        int taken = 0;
        for (int i = 0; i < 20_000; i++)
        {
            Registration made = Registration.Make(new RegistrationHead(new DirectoryOwner(1, 1, (ulong)(i % 8)), 0), new RegistrationParts
            {
                Lifetime = 1_000, LinkCount = 1, Base = "coap://x"u8, Links = links,
                Endpoint = Encoding.UTF8.GetBytes(i.ToString(CultureInfo.InvariantCulture)),
            });
            Cluster.CoapTableKey key = core.KeyOf(default, made.Endpoint);
            if (await core.AdmitAsync(key, made, CancellationToken.None) is null)
            {
                await core.AskAsync(key, DirectoryQuestion.Verb.Register, new Registrant(made.Owner, true, [], 0), 0, made.Bytes,
                    CancellationToken.None);
                taken++;
            }
        }

        // Eight sources with half of what is free each leave a ninth of it.
        Assert.InRange(taken, 1_500, 1_900);
        Assert.All(Enumerable.Range(0, 8), share => Assert.InRange(core.Index.Shares[(ulong)share].Count, 1, 500));
        Assert.Equal(CoapCode.Created, (await world.PostAsync("/rd?ep=new", "</x>")).Code);
    }
}
