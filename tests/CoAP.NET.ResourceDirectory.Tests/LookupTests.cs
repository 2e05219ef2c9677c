namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Lookups: filters, paging, references (RFC 9176 section 6).</summary>
[Collection(VirtualTimeCollection.Name)]
public class LookupTests
{
    [Theory]
    [Rfc("9176-6-1")]
    // By attributes of links: in full, by beginning, one of several values.
    [InlineData("rt=temperature-c", "/1/temp")]
    [InlineData("rt=core.s", "/1/temp /2/light")]
    [InlineData("rt=temperature*", "/1/temp")]
    [InlineData("rt=core.*", "/1/temp /2/light")]
    [InlineData("rt=temperature", "")]
    [InlineData("if=sensor", "/1/temp")]
    [InlineData("if=sensor&if=x", "")]
    [InlineData("ct=41", "/1/temp")]
    [InlineData("ct=4", "")]
    [InlineData("title=Hall", "/1/hum")]
    [InlineData("title=H*", "/1/hum")]
    [InlineData("RT=core.s", "/1/temp /2/light")]
    [InlineData("obs=*", "/1/hum")]
    // By resolved targets and anchors.
    [InlineData("href=coap://one/1/temp", "/1/temp")]
    [InlineData("href=coap://one/1/*", "/1/hum /1/temp")]
    [InlineData("href=coap://one*", "/1/hum /1/temp")]
    [InlineData("href=coap*", "/1/hum /1/temp /2/light")]
    [InlineData("href=/1/temp", "")]
    [InlineData("anchor=coap://two/2/light", "http://x/desc")]
    // By endpoints.
    [InlineData("ep=one", "/1/hum /1/temp")]
    [InlineData("ep=t*", "/2/light http://x/desc")]
    [InlineData("d=floor", "/2/light http://x/desc")]
    [InlineData("base=coap://two", "/2/light http://x/desc")]
    [InlineData("et=sensor", "/1/hum /1/temp")]
    [InlineData("vendor=acme", "/2/light http://x/desc")]
    [InlineData("rt=core.rd-ep", "")]
    // By several.
    [InlineData("ep=one&rt=core.s", "/1/temp")]
    [InlineData("d=floor&rt=core.s&vendor=*", "/2/light")]
    [InlineData("d=floor&et=sensor", "")]
    [InlineData("nothing=1", "")]
    public async Task Links_are_found_by_what_is_said_of_them_and_of_their_endpoints(string query, string expected)
    {
        await using DirectoryWorld world = await StartAsync();

        Assert.Equal(expected, Targets(await world.LinksAsync(query)));
    }

    [Theory]
    [InlineData("", "one two")]
    [InlineData("rt=core.rd-ep", "one two")]
    [InlineData("ep=one", "one")]
    [InlineData("rt=core.s", "one two")]
    [InlineData("rt=temperature-c&title=Hall", "one")]
    [InlineData("rt=temperature-c&vendor=acme", "")]
    [InlineData("et=sens*", "one")]
    [InlineData("href=coap://two/2/light", "two")]
    [InlineData("anchor=coap://two*", "two")]
    [InlineData("d=*", "two")]
    public async Task Endpoints_are_found_by_their_attributes_and_those_of_their_links(string query, string expected)
    {
        await using DirectoryWorld world = await StartAsync();

        Assert.Equal(expected, Names(await world.EndpointsAsync(query)));
    }

    [Fact]
    public async Task An_endpoint_is_found_by_its_location_as_a_path_or_a_URI()
    {
        await using DirectoryWorld world = await StartAsync();
        string location = await world.RegisterAsync("ep=three", "</3>");

        Assert.Equal("three", Names(await world.EndpointsAsync("href=" + location)));
        Assert.Equal("three", Names(await world.EndpointsAsync("href=coap://[2001:db8::1]" + location)));
        Assert.Equal("/3", Targets(await world.LinksAsync("href=" + location)));
        Assert.Equal("one three two", Names(await world.EndpointsAsync("href=/rd/*")));
    }

    [Fact]
    public async Task Pages_return_all_links_in_a_stable_order()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        for (int i = 0; i < 7; i++)
        {
            await world.RegisterAsync($"ep=n{i}", string.Join(',', Enumerable.Range(0, 1 + (i % 3)).Select(link => $"</{i}/{link}>;rt=x")));
        }

        string all = await world.LinksAsync("rt=x");
        List<string> pages = [];
        for (int page = 0; page < 5; page++)
        {
            pages.Add(await world.LinksAsync($"rt=x&page={page}&count=3"));
        }

        Assert.Equal(13, CoapLinkFormat.Parse(all).Count);
        Assert.Equal([3, 3, 3, 3, 1], pages.Select(page => CoapLinkFormat.Parse(page).Count));
        Assert.Equal(all, string.Join(',', pages));
        Assert.Equal("", await world.LinksAsync("rt=x&page=5&count=3"));
        Assert.Equal("", await world.LinksAsync("rt=x&page=4294967295&count=4294967295"));
        Assert.Equal("", await world.LinksAsync("count=0"));
        Assert.Equal(string.Join(',', pages[..2]), await world.LinksAsync("rt=x&count=6"));
    }

    [Theory]
    [InlineData("page=1", "count")]
    [InlineData("count=x", "number")]
    [InlineData("count=-1", "number")]
    [InlineData("count=4294967296", "number")]
    [InlineData("count=1&count=2", "once")]
    [InlineData("page=1&page=1&count=1", "once")]
    [InlineData("light", "criterion")]
    [InlineData("=light", "criterion")]
    public async Task A_malformed_lookup_is_refused(string query, string said)
    {
        await using DirectoryWorld world = await StartAsync();

        CoapResponse response = await world.GetAsync("/rd-lookup/res?" + query);

        response.Gives(CoapCode.BadRequest);
        Assert.Contains(said, response.GetText());
    }

    [Fact]
    public async Task An_unchanged_result_is_validated_by_its_ETag()
    {
        await using DirectoryWorld world = await StartAsync();
        CoapResponse first = await world.GetAsync("/rd-lookup/res?ep=one");
        CoapRequest again = new(CoapMethod.Get, DirectoryWorld.Uri + "/rd-lookup/res?ep=one");
        again.Options.Add(first.Options.First(option => option.Number == OptionNumber.ETag));

        await world.SendAsync(again).Gives(CoapCode.Valid);
    }

    [Fact]
    [Rfc("9176-6-2", "9176-5-7")]
    public async Task Link_local_registrations_are_shown_only_on_their_link_and_without_zone_IDs()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        CoapClient here = world.MakeClient("[fe80::2%1]:5683");
        CoapClient neighbour = world.MakeClient("[fe80::3%1]:5683");
        CoapClient elsewhere = world.MakeClient("[fe80::4%2]:5683");

        await world.RegisterAsync("ep=a", "</x>", here);
        await world.RegisterAsync("ep=b&base=coap://b", "</y>,<coap://[fe80::9]/z>,<coap://c/z>;anchor=\"coap://169.254.0.1/\"", here);

        Assert.Equal(
            "/x /y coap://[fe80::9]/z coap://c/z",
            string.Join(' ', CoapLinkFormat.Parse(await world.LinksAsync(client: neighbour))
                .Select(link => link.Target.Replace("coap://[fe80::2]", "").Replace("coap://b", "")).Order(StringComparer.Ordinal)));
        Assert.Equal("<coap://b/y>", await world.LinksAsync(client: elsewhere));
        Assert.Equal("<coap://b/y>", await world.LinksAsync());
        Assert.Equal("b", Names(await world.EndpointsAsync()));
        Assert.Equal("a b", Names(await world.EndpointsAsync(client: neighbour)));
        Assert.Equal("", await world.LinksAsync("href=coap://[fe80::9]/z"));
        Assert.Equal("<coap://[fe80::9]/z>", await world.LinksAsync("href=coap://[fe80::9]/z", neighbour));
    }

    private static async Task<DirectoryWorld> StartAsync()
    {
        DirectoryWorld world = await DirectoryWorld.StartAsync();
        await world.RegisterAsync("ep=one&base=coap://one&et=sensor",
            "</1/temp>;ct=41;rt=\"temperature-c core.s\";if=\"sensor\",</1/hum>;title=\"Hall\";obs");
        await world.RegisterAsync("ep=two&d=floor&base=coap://two&vendor=acme",
            "</2/light>;rt=\"core.s\",<http://x/desc>;anchor=\"/2/light\";rel=\"describedby\"");
        return world;
    }

    private static string Targets(string links) => string.Join(' ', CoapLinkFormat.Parse(links)
        .Select(link => link.Target.StartsWith("coap:", Ordinal) ? new Uri(link.Target).AbsolutePath : link.Target)
        .Order(StringComparer.Ordinal));

    private static string Names(string links) =>
        string.Join(' ', CoapLinkFormat.Parse(links).Select(link => link.GetValue("ep")).Order(StringComparer.Ordinal));
}
