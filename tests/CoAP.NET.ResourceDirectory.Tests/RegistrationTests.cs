using System.Text;
using CoAP.NET.Options;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Registration, update and removal over the network (RFC 9176 section 5).</summary>
[Collection(VirtualTimeCollection.Name)]
public class RegistrationTests
{
    private const string Links = "</sensors/temp>;rt=\"temperature-c\";if=\"sensor\","
        + "<http://www.example.com/sensors/temp>;anchor=\"/sensors/temp\";rel=\"describedby\"";

    [Fact]
    [Rfc("9176-4.3-1", "9176-4-1")]
    public async Task A_directory_is_discovered_by_its_resource_types()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();

        CoapResponse all = await world.GetAsync("/.well-known/core?rt=core.rd*");
        CoapResponse one = await world.GetAsync("/.well-known/core?rt=core.rd-lookup-res");

        Assert.Equal(
            ["/rd", "/rd-lookup/ep", "/rd-lookup/res"],
            CoapLinkFormat.Parse(all.Payload.Span).Select(static link => link.Target).Order());
        CoapLink found = Assert.Single(CoapLinkFormat.Parse(one.Payload.Span));
        Assert.Equal("/rd-lookup/res", found.Target);
        Assert.Equal([CoapContentFormat.LinkFormat], found.ContentFormats);
    }

    [Fact]
    [Rfc("9176-5-2", "9176-4-1")]
    public async Task What_is_registered_is_found_with_resolved_references()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();

        CoapResponse response = await world.PostAsync("/rd?ep=node1", Links);

        Assert.Equal(CoapCode.Created, response.Code);
        Assert.Matches("^/rd/[A-Za-z0-9_-]{16}$", DirectoryWorld.LocationOf(response));
        Assert.DoesNotContain(response.Options, static option => option.Number == OptionNumber.LocationQuery);
        Assert.Equal(
            "<coap://[2001:db8::2]/sensors/temp>;rt=\"temperature-c\";if=\"sensor\","
                + "<http://www.example.com/sensors/temp>;anchor=\"coap://[2001:db8::2]/sensors/temp\";rel=\"describedby\"",
            await world.LinksAsync());
        Assert.Equal(
            $"<{DirectoryWorld.LocationOf(response)}>;ep=\"node1\";base=\"coap://[2001:db8::2]\";rt=\"core.rd-ep\"",
            await world.EndpointsAsync());
    }

    [Fact]
    [Rfc("9176-5-1", "9176-4-2")]
    public async Task To_register_again_replaces_links_and_parameters_at_the_same_location()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        string first = await world.RegisterAsync("ep=node1&et=a&con=x", Links);

        string second = await world.RegisterAsync("ep=node1&et=b", "</light>");

        Assert.Equal(first, second);
        Assert.Equal("<coap://[2001:db8::2]/light>", await world.LinksAsync());
        Assert.Equal($"<{first}>;ep=\"node1\";base=\"coap://[2001:db8::2]\";et=\"b\";rt=\"core.rd-ep\"", await world.EndpointsAsync());
    }

    [Fact]
    [Rfc("9176-5-3")]
    public async Task Parameters_without_a_meaning_are_kept_as_endpoint_attributes()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();

        string location = await world.RegisterAsync("ep=node1&d=floor-3&et=oic.d.sensor&et=core.x&vendor=%22a%5Cb%22&proxied");

        Assert.Equal(
            $"<{location}>;ep=\"node1\";d=\"floor-3\";base=\"coap://[2001:db8::2]\";et=\"oic.d.sensor\";et=\"core.x\""
                + ";vendor=\"\\\"a\\\\b\\\"\";proxied;rt=\"core.rd-ep\"",
            await world.EndpointsAsync());
        CoapLink link = Assert.Single(CoapLinkFormat.Parse(await world.EndpointsAsync()));
        Assert.Equal("\"a\\b\"", link.GetValue("vendor"));
    }

    [Theory]
    [Rfc("9176-5-4", "9176-5-5")]
    [InlineData("", "ep")]
    [InlineData("ep=", "empty")]
    [InlineData("ep=0123456789012345678901234567890123456789012345678901234567890123", "63")]
    [InlineData("ep=a%0Ab", "control")]
    [InlineData("ep=a%C2%85b", "control")]
    [InlineData("ep=a&ep=b", "twice")]
    [InlineData("ep=a&d=0123456789012345678901234567890123456789012345678901234567890123", "63")]
    [InlineData("ep=a&d=x%00", "control")]
    [InlineData("ep=a&d=1&d=2", "twice")]
    [InlineData("ep=a&lt=0", "lifetime")]
    [InlineData("ep=a&lt=4294967296", "lifetime")]
    [InlineData("ep=a&lt=-1", "lifetime")]
    [InlineData("ep=a&lt=1&lt=2", "twice")]
    [InlineData("ep=a&base=/x", "absolute")]
    [InlineData("ep=a&base=coap:%20", "absolute")]
    [InlineData("ep=a&base=coap://[fe80::1%2525eth0]", "zone")]
    [InlineData("ep=a&base=coap://[fe80::1]", "link-local")]
    [InlineData("ep=a&base=coap://a&base=coap://b", "twice")]
    [InlineData("ep=a&page=1", "look-ups")]
    [InlineData("ep=a&rt=core.x", "look-ups")]
    [InlineData("ep=a&href=/x", "look-ups")]
    [InlineData("ep=a&a%20b=1", "attribute")]
    [InlineData("ep=a&x=%0D%0A", "attribute")]
    [InlineData("ep=a&p0&p1&p2&p3&p4&p5&p6&p7&p8&p9&p10&p11&p12&p13&p14&p15&p16", "16")]
    public async Task Parameters_that_cannot_be_kept_are_refused_with_what_to_do(string query, string said)
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();

        CoapResponse response = await world.PostAsync("/rd" + (query.Length == 0 ? "" : "?" + query), Links);

        Assert.Equal(CoapCode.BadRequest, response.Code);
        Assert.Contains(said, response.GetText());
        Assert.Equal(0, world.Directory.Count);
    }

    [Theory]
    [InlineData("<sensors/temp>")]
    [InlineData("<//host/temp>")]
    [InlineData("<>")]
    [InlineData("<?x>")]
    [InlineData("</temp>;anchor=\"temp\"")]
    [InlineData("</temp>;anchor=\"/a b\"")]
    [InlineData("</temp>;anchor=\"coap://[fe80::1%25eth0]/\"")]
    [InlineData("<coap://[fe80::1]/temp>")]
    [InlineData("</temp>;title=\"a\r\n b\"")]
    [InlineData("not a link")]
    public async Task Links_in_another_form_than_the_limited_one_are_refused(string links)
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();

        CoapResponse response = await world.PostAsync("/rd?ep=node1", links);

        Assert.Equal(CoapCode.BadRequest, response.Code);
        Assert.NotEmpty(response.GetText());
    }

    [Fact]
    public async Task Another_content_format_is_refused()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        CoapRequest request = new(CoapMethod.Post, DirectoryWorld.Uri + "/rd?ep=node1")
        {
            Content = new CoapContent(Encoding.UTF8.GetBytes("[]"), CoapContentFormat.Json),
        };

        Assert.Equal(CoapCode.UnsupportedContentFormat, (await world.SendAsync(request)).Code);
    }

    [Fact]
    public async Task Markup_in_names_is_kept_and_quoted()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();

        await world.RegisterAsync("ep=%3Cscript%3E%22%2C%3C/x%3E", "</a>;title=\"<b>\"");

        CoapLink endpoint = Assert.Single(CoapLinkFormat.Parse(await world.EndpointsAsync()));
        Assert.Equal("<script>\",</x>", endpoint.GetValue("ep"));
        Assert.Equal("<coap://[2001:db8::2]/a>;title=\"<b>\"", await world.LinksAsync());
    }

    [Fact]
    [Rfc("9176-5-6")]
    public async Task The_base_of_a_registration_is_given_or_where_it_came_from()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        CoapClient other = world.MakeClient("[2001:db8::3]:61616");

        await world.RegisterAsync("ep=a", "</x>", other);
        await world.RegisterAsync("ep=b&base=coap://[2001:db8::9]:61616", "</x>", other);

        Assert.Equal("<coap://[2001:db8::3]:61616/x>", await world.LinksAsync("ep=a"));
        Assert.Equal("<coap://[2001:db8::9]:61616/x>", await world.LinksAsync("ep=b"));
    }

    [Fact]
    public async Task Over_a_connection_the_base_has_to_be_given()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        CoapClient client = world.MakeClient("[2001:db8::3]:50000", "coap+tcp");
        const string Tcp = "coap+tcp://[2001:db8::1]";

        CoapResponse without = await world.PostAsync("/rd?ep=a", "</x>", client, Tcp);
        CoapResponse with = await world.PostAsync("/rd?ep=a&base=coap%2Btcp://a.example", "</x>", client, Tcp);

        Assert.Equal(CoapCode.BadRequest, without.Code);
        Assert.Contains("base", without.GetText());
        Assert.Equal(CoapCode.Created, with.Code);
        Assert.Equal("<coap+tcp://a.example/x>", await world.LinksAsync());
    }

    [Fact]
    public async Task Full_references_with_dots_are_as_sent_and_paths_are_resolved()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();

        await world.RegisterAsync("ep=a&base=coap://h/base/path", "</a/../b/./c>,<coap://x/a/../b>,</.well/..x>");

        Assert.Equal("<coap://h/b/c>,<coap://x/a/../b>,<coap://h/.well/..x>", await world.LinksAsync());
    }

    [Fact]
    [Rfc("9176-4-2")]
    public async Task An_update_changes_what_it_names_and_keeps_the_rest()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        string location = await world.RegisterAsync("ep=node1&et=a&et=b&con=x", Links);

        CoapResponse response = await world.PostAsync(location + "?lt=600&base=coap://[2001:db8::7]:9&et=c&new=1");

        Assert.Equal(CoapCode.Changed, response.Code);
        Assert.Equal(
            "<coap://[2001:db8::7]:9/sensors/temp>;rt=\"temperature-c\";if=\"sensor\","
                + "<http://www.example.com/sensors/temp>;anchor=\"coap://[2001:db8::7]:9/sensors/temp\";rel=\"describedby\"",
            await world.LinksAsync());
        Assert.Equal(
            $"<{location}>;ep=\"node1\";base=\"coap://[2001:db8::7]:9\";con=\"x\";et=\"c\";new=\"1\";rt=\"core.rd-ep\"",
            await world.EndpointsAsync());
    }

    [Fact]
    public async Task A_registration_without_base_follows_its_endpoint()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        string location = await world.RegisterAsync("ep=node1", "</x>");
        CoapClient moved = world.MakeClient("[2001:db8::2]:7000");

        await world.PostAsync(location, client: moved);
        string followed = await world.LinksAsync();
        await world.PostAsync(location + "?base=coap://fixed");
        await world.PostAsync(location, client: moved);

        Assert.Equal("<coap://[2001:db8::2]:7000/x>", followed);
        Assert.Equal("<coap://fixed/x>", await world.LinksAsync());
    }

    [Theory]
    [InlineData("?ep=other")]
    [InlineData("?d=other")]
    [InlineData("?lt=0")]
    [InlineData("?page=1")]
    public async Task Updates_that_make_no_sense_are_refused(string query)
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        string location = await world.RegisterAsync("ep=node1", Links);

        Assert.Equal(CoapCode.BadRequest, (await world.PostAsync(location + query)).Code);
        Assert.Equal(CoapCode.BadRequest, (await world.PostAsync(location, "</links>")).Code);
    }

    [Fact]
    public async Task A_removed_registration_is_not_found_and_cannot_be_updated()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        string location = await world.RegisterAsync("ep=node1", Links);

        CoapResponse removed = await world.DeleteAsync(location);
        CoapResponse again = await world.DeleteAsync(location);
        CoapResponse updated = await world.PostAsync(location);

        Assert.Equal(CoapCode.Deleted, removed.Code);
        Assert.Equal(CoapCode.NotFound, again.Code);
        Assert.Equal(CoapCode.NotFound, updated.Code);
        Assert.Contains("Register again", updated.GetText());
        Assert.Equal("", await world.LinksAsync());
    }

    [Theory]
    [InlineData("/rd/x")]
    [InlineData("/rd/AAAAAAAAAAAAAAAA")]
    [InlineData("/rd/AAAAAAAAAAAAAAA%20")]
    [InlineData("/rd/AAAAAAAAAAAAAAAAAAAA")]
    public async Task Locations_that_are_none_are_not_found(string path)
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();

        Assert.Equal(CoapCode.NotFound, (await world.PostAsync(path)).Code);
        Assert.Equal(CoapCode.NotFound, (await world.DeleteAsync(path)).Code);
        Assert.Equal(CoapCode.MethodNotAllowed, (await world.GetAsync(path)).Code);
    }

    [Fact]
    [Rfc("9176-5.3-1")]
    public async Task A_registration_whose_lifetime_is_over_is_not_shown_and_can_be_refreshed_for_a_while()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        string location = await world.RegisterAsync("ep=node1&lt=100", "</x>");

        world.Clock.Advance(TimeSpan.FromSeconds(101));
        string over = await world.LinksAsync();
        CoapResponse refreshed = await world.PostAsync(location);
        string back = await world.LinksAsync();
        world.Clock.Advance(TimeSpan.FromSeconds(201));
        CoapResponse late = await world.PostAsync(location);

        Assert.Equal("", over);
        Assert.Equal(CoapCode.Changed, refreshed.Code);
        Assert.Equal("<coap://[2001:db8::2]/x>", back);
        Assert.Equal(CoapCode.NotFound, late.Code);
    }

    [Fact]
    public async Task The_same_name_in_two_sectors_is_two_endpoints()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();

        string none = await world.RegisterAsync("ep=a", "</1>");
        string one = await world.RegisterAsync("ep=a&d=x", "</2>");

        Assert.NotEqual(none, one);
        Assert.Equal("<coap://[2001:db8::2]/2>", await world.LinksAsync("d=x"));
        Assert.Equal(2, world.Directory.Count);
    }

    [Fact]
    public async Task A_group_is_registered_with_a_multicast_address()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();

        string location = await world.RegisterAsync("ep=lights&et=core.rd-group&base=coap://[ff35:30:2001:db8:f1::8000:1]", "</light>");

        Assert.Equal(
            $"<{location}>;ep=\"lights\";base=\"coap://[ff35:30:2001:db8:f1::8000:1]\";et=\"core.rd-group\";rt=\"core.rd-ep\"",
            await world.EndpointsAsync("et=core.rd-group"));
    }
}
