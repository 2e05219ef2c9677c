using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Registration, update and removal over the network (RFC 9176 section 5).</summary>
[Collection(VirtualTimeCollection.Name)]
public class RegistrationTests : IAsyncLifetime
{
    private DirectoryWorld _world = null!;

    public async ValueTask InitializeAsync() => _world = await DirectoryWorld.StartAsync();

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    private const string Links = "</sensors/temp>;rt=\"temperature-c\";if=\"sensor\","
        + "<http://www.example.com/sensors/temp>;anchor=\"/sensors/temp\";rel=\"describedby\"";

    [Fact]
    [Rfc("9176-5-2", "9176-4-1")]
    public async Task A_registration_is_found_with_resolved_references()
    {
        CoapResponse response = await _world.PostAsync("/rd?ep=node1", Links);

        response.Gives(CoapCode.Created);
        Assert.Matches("^/rd/[A-Za-z0-9_-]{16}$", DirectoryWorld.LocationOf(response));
        Assert.DoesNotContain(response.Options, option => option.Number == OptionNumber.LocationQuery);
        Assert.Equal(
            "<coap://[2001:db8::2]/sensors/temp>;rt=\"temperature-c\";if=\"sensor\","
                + "<http://www.example.com/sensors/temp>;anchor=\"coap://[2001:db8::2]/sensors/temp\";rel=\"describedby\"",
            await _world.LinksAsync());
        Assert.Equal(
            $"<{DirectoryWorld.LocationOf(response)}>;ep=\"node1\";base=\"coap://[2001:db8::2]\";rt=\"core.rd-ep\"",
            await _world.EndpointsAsync());
    }

    [Fact]
    [Rfc("9176-5-1", "9176-4-2")]
    public async Task Registering_again_replaces_links_and_parameters_at_the_same_location()
    {
        string first = await _world.RegisterAsync("ep=node1&et=a&con=x", Links);

        string second = await _world.RegisterAsync("ep=node1&et=b", "</light>");

        Assert.Equal(first, second);
        Assert.Equal("<coap://[2001:db8::2]/light>", await _world.LinksAsync());
        Assert.Equal($"<{first}>;ep=\"node1\";base=\"coap://[2001:db8::2]\";et=\"b\";rt=\"core.rd-ep\"", await _world.EndpointsAsync());
    }

    [Fact]
    [Rfc("9176-5-3")]
    public async Task Unknown_parameters_are_kept_as_endpoint_attributes()
    {
        string location = await _world.RegisterAsync("ep=node1&d=floor-3&et=oic.d.sensor&et=core.x&vendor=%22a%5Cb%22&proxied");

        Assert.Equal(
            $"<{location}>;ep=\"node1\";d=\"floor-3\";base=\"coap://[2001:db8::2]\";et=\"oic.d.sensor\";et=\"core.x\""
                + ";vendor=\"\\\"a\\\\b\\\"\";proxied;rt=\"core.rd-ep\"",
            await _world.EndpointsAsync());
        CoapLink link = Assert.Single(CoapLinkFormat.Parse(await _world.EndpointsAsync()));
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
    [InlineData("ep=a&page=1", "lookups")]
    [InlineData("ep=a&rt=core.x", "lookups")]
    [InlineData("ep=a&href=/x", "lookups")]
    [InlineData("ep=a&a%20b=1", "attribute")]
    [InlineData("ep=a&x=%0D%0A", "attribute")]
    [InlineData("ep=a&p0&p1&p2&p3&p4&p5&p6&p7&p8&p9&p10&p11&p12&p13&p14&p15&p16", "16")]
    public async Task Parameters_that_cannot_be_stored_are_refused_with_the_remedy(string query, string said)
    {
        CoapResponse response = await _world.PostAsync("/rd" + (query.Length == 0 ? "" : "?" + query), Links);

        response.Gives(CoapCode.BadRequest);
        Assert.Contains(said, response.GetText());
        Assert.Equal(0, _world.Directory.Count);
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
    public async Task Links_outside_the_limited_link_format_are_refused(string links)
    {
        CoapResponse response = await _world.PostAsync("/rd?ep=node1", links);

        response.Gives(CoapCode.BadRequest);
        Assert.NotEmpty(response.GetText());
    }

    [Fact]
    public async Task Another_Content_Format_is_refused()
    {
        CoapRequest request = new(CoapMethod.Post, DirectoryWorld.Uri + "/rd?ep=node1")
        {
            Content = new CoapContent(Encoding.UTF8.GetBytes("[]"), CoapContentFormat.Json),
        };

        await _world.SendAsync(request).Gives(CoapCode.UnsupportedContentFormat);
    }

    [Fact]
    public async Task Markup_in_names_is_stored_and_quoted()
    {
        await _world.RegisterAsync("ep=%3Cscript%3E%22%2C%3C/x%3E", "</a>;title=\"<b>\"");

        CoapLink endpoint = Assert.Single(CoapLinkFormat.Parse(await _world.EndpointsAsync()));
        Assert.Equal("<script>\",</x>", endpoint.GetValue("ep"));
        Assert.Equal("<coap://[2001:db8::2]/a>;title=\"<b>\"", await _world.LinksAsync());
    }

    [Fact]
    [Rfc("9176-5-6")]
    public async Task The_base_of_a_registration_is_its_base_parameter_or_its_source_address()
    {
        CoapClient other = _world.MakeClient("[2001:db8::3]:61616");

        await _world.RegisterAsync("ep=a", "</x>", other);
        await _world.RegisterAsync("ep=b&base=coap://[2001:db8::9]:61616", "</x>", other);

        Assert.Equal("<coap://[2001:db8::3]:61616/x>", await _world.LinksAsync("ep=a"));
        Assert.Equal("<coap://[2001:db8::9]:61616/x>", await _world.LinksAsync("ep=b"));
    }

    [Fact]
    public async Task A_registration_over_a_connection_requires_a_base()
    {
        CoapClient client = _world.MakeClient("[2001:db8::3]:50000", "coap+tcp");
        const string Tcp = "coap+tcp://[2001:db8::1]";

        CoapResponse without = await _world.PostAsync("/rd?ep=a", "</x>", client, Tcp);
        CoapResponse with = await _world.PostAsync("/rd?ep=a&base=coap%2Btcp://a.example", "</x>", client, Tcp);

        without.Gives(CoapCode.BadRequest);
        Assert.Contains("base", without.GetText());
        with.Gives(CoapCode.Created);
        Assert.Equal("<coap+tcp://a.example/x>", await _world.LinksAsync());
    }

    [Fact]
    public async Task Full_references_with_dot_segments_are_kept_and_relative_paths_are_resolved()
    {
        await _world.RegisterAsync("ep=a&base=coap://h/base/path", "</a/../b/./c>,<coap://x/a/../b>,</.well/..x>");

        Assert.Equal("<coap://h/b/c>,<coap://x/a/../b>,<coap://h/.well/..x>", await _world.LinksAsync());
    }

    [Fact]
    [Rfc("9176-4-2")]
    public async Task An_update_changes_only_the_given_parameters()
    {
        string location = await _world.RegisterAsync("ep=node1&et=a&et=b&con=x", Links);

        CoapResponse response = await _world.PostAsync(location + "?lt=600&base=coap://[2001:db8::7]:9&et=c&new=1");

        response.Gives(CoapCode.Changed);
        Assert.Equal(
            "<coap://[2001:db8::7]:9/sensors/temp>;rt=\"temperature-c\";if=\"sensor\","
                + "<http://www.example.com/sensors/temp>;anchor=\"coap://[2001:db8::7]:9/sensors/temp\";rel=\"describedby\"",
            await _world.LinksAsync());
        Assert.Equal(
            $"<{location}>;ep=\"node1\";base=\"coap://[2001:db8::7]:9\";con=\"x\";et=\"c\";new=\"1\";rt=\"core.rd-ep\"",
            await _world.EndpointsAsync());
    }

    [Fact]
    public async Task A_registration_without_a_base_follows_the_address_of_its_endpoint()
    {
        string location = await _world.RegisterAsync("ep=node1", "</x>");
        CoapClient moved = _world.MakeClient("[2001:db8::2]:7000");

        await _world.PostAsync(location, client: moved);
        string followed = await _world.LinksAsync();
        await _world.PostAsync(location + "?base=coap://fixed");
        await _world.PostAsync(location, client: moved);

        Assert.Equal("<coap://[2001:db8::2]:7000/x>", followed);
        Assert.Equal("<coap://fixed/x>", await _world.LinksAsync());
    }

    [Theory]
    [InlineData("?ep=other")]
    [InlineData("?d=other")]
    [InlineData("?lt=0")]
    [InlineData("?page=1")]
    public async Task Invalid_updates_are_refused(string query)
    {
        string location = await _world.RegisterAsync("ep=node1", Links);

        await _world.PostAsync(location + query).Gives(CoapCode.BadRequest);
        await _world.PostAsync(location, "</links>").Gives(CoapCode.BadRequest);
    }

    [Fact]
    public async Task A_removed_registration_is_not_found_and_cannot_be_updated()
    {
        string location = await _world.RegisterAsync("ep=node1", Links);

        CoapResponse removed = await _world.DeleteAsync(location);
        CoapResponse again = await _world.DeleteAsync(location);
        CoapResponse updated = await _world.PostAsync(location);

        removed.Gives(CoapCode.Deleted);
        again.Gives(CoapCode.NotFound);
        updated.Gives(CoapCode.NotFound);
        Assert.Contains("Register again", updated.GetText());
        Assert.Equal("", await _world.LinksAsync());
    }

    [Theory]
    [InlineData("/rd/x")]
    [InlineData("/rd/AAAAAAAAAAAAAAAA")]
    [InlineData("/rd/AAAAAAAAAAAAAAA%20")]
    [InlineData("/rd/AAAAAAAAAAAAAAAAAAAA")]
    public async Task Unknown_locations_are_answered_4_04(string path)
    {
        await _world.PostAsync(path).Gives(CoapCode.NotFound);
        await _world.DeleteAsync(path).Gives(CoapCode.NotFound);
        await _world.GetAsync(path).Gives(CoapCode.MethodNotAllowed);
    }

    [Fact]
    [Rfc("9176-5-5")]
    public async Task The_lifetime_may_be_a_second_to_its_maximum_and_is_25_hours_by_default()
    {
        await _world.RegisterAsync("ep=long&lt=4294967295", "</1>");
        await _world.RegisterAsync("ep=usual", "</2>");
        await _world.RegisterAsync("ep=short&lt=1", "</3>");
        List<int> counts = [_world.Directory.Count];
        foreach (TimeSpan time in new[] { FromMilliseconds(1_001), FromHours(24.9), FromHours(0.1), FromDays(365) })
        {
            _world.Clock.Advance(time);
            counts.Add(_world.Directory.Count);
        }

        Assert.Equal([3, 2, 2, 1, 1], counts);
    }

    [Fact]
    [Rfc("9176-5.3-1")]
    public async Task An_expired_registration_is_hidden_and_can_be_refreshed_for_a_while()
    {
        string location = await _world.RegisterAsync("ep=node1&lt=100", "</x>");

        _world.Clock.Advance(FromSeconds(101));
        string over = await _world.LinksAsync();
        CoapResponse refreshed = await _world.PostAsync(location);
        string back = await _world.LinksAsync();
        _world.Clock.Advance(FromSeconds(201));
        CoapResponse late = await _world.PostAsync(location);

        Assert.Equal("", over);
        refreshed.Gives(CoapCode.Changed);
        Assert.Equal("<coap://[2001:db8::2]/x>", back);
        late.Gives(CoapCode.NotFound);
    }

    [Fact]
    public async Task The_same_name_in_two_sectors_belongs_to_two_endpoints()
    {
        string none = await _world.RegisterAsync("ep=a", "</1>");
        string one = await _world.RegisterAsync("ep=a&d=x", "</2>");

        Assert.NotEqual(none, one);
        Assert.Equal("<coap://[2001:db8::2]/2>", await _world.LinksAsync("d=x"));
        Assert.Equal(2, _world.Directory.Count);
    }
}
