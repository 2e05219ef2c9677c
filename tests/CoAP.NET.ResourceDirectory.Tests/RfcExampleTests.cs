using System.Text;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>
/// The exchanges that RFC 9176 shows. Where it writes values without quotes or in another order, the same links are meant; locations are
/// those of this directory.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public class RfcExampleTests
{
    private const string Light = "tag:example.com,2020:light";

    private const string Sensor = "</sensors/temp>;rt=temperature-c;if=sensor,"
        + "<http://www.example.com/sensors/temp>;anchor=\"/sensors/temp\";rel=describedby";

    private const string Lamps =
        $"</light/left>;rt=\"{Light}\",</light/middle>;rt=\"{Light}\",</light/right>;rt=\"{Light}\"";

    [Fact]
    public async Task A_directory_is_discovered()
    {
        // Section 4.3. This directory has look-ups that can be observed, which is said, as in the second example there.
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        CoapResponse found = await world.GetAsync("/.well-known/core?rt=core.rd*");
        AssertLinks("</rd>;rt=core.rd;ct=40,</rd-lookup/ep>;rt=core.rd-lookup-ep;ct=40;obs,"
            + "</rd-lookup/res>;rt=core.rd-lookup-res;ct=40;obs", found.GetText());
        Assert.Equal("", (await world.GetAsync("/.well-known/core?rel=impl-info")).GetText());
        world.Server.MapGet("/about", static () => "").AllowInsecureTransport().WithLink(
            new CoapLink("http://software.example.com/shiny-resource-directory/1.0beta1", new CoapLinkAttribute("rel", "impl-info")));
        AssertLinks("<http://software.example.com/shiny-resource-directory/1.0beta1>;rel=impl-info",
            (await world.GetAsync("/.well-known/core?rel=impl-info")).GetText());
    }

    [Fact]
    public async Task Registration_update_of_the_base_and_removal()
    {
        // Sections 5, 5.3.1 and 5.3.2.
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        string location = await world.RegisterAsync("ep=endpoint1&base=coap://local-proxy-old.example.com", Sensor);
        Assert.Equal(CoapCode.Changed, (await world.PostAsync(location)).Code);
        AssertLinks("<coap://local-proxy-old.example.com/sensors/temp>;rt=temperature-c;if=sensor,"
            + "<http://www.example.com/sensors/temp>;anchor=\"coap://local-proxy-old.example.com/sensors/temp\";rel=describedby",
            await world.LinksAsync("ep=endpoint1"));
        Assert.Equal(CoapCode.Changed, (await world.PostAsync(location + "?base=coaps://new.example.com")).Code);
        AssertLinks("<coaps://new.example.com/sensors/temp>;rt=temperature-c;if=sensor,"
            + "<http://www.example.com/sensors/temp>;anchor=\"coaps://new.example.com/sensors/temp\";rel=describedby",
            await world.LinksAsync("ep=endpoint1"));
        Assert.Equal(CoapCode.Deleted, (await world.DeleteAsync(location)).Code);
        Assert.Equal("", await world.LinksAsync("ep=endpoint1"));
    }

    [Fact]
    public async Task Updates_carry_the_Echo_of_the_last_answer()
    {
        // Section 5.3.4.1: the directory asks for freshness once, and the client goes on with what it was given.
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        string location = await world.RegisterAsync("ep=node1", Sensor);
        CoapResponse first = await UpdateAsync("lt=7200", null);
        Assert.Equal(CoapCode.Unauthorized, first.Code);
        CoapResponse second = await UpdateAsync("lt=7200", first);
        Assert.Equal(CoapCode.Changed, second.Code);
        Assert.Equal(CoapCode.Changed, (await UpdateAsync("lt=90000", EchoOf(second) ? second : first)).Code);

        Task<CoapResponse> UpdateAsync(string query, CoapResponse? echo)
        {
            CoapRequest request = new(CoapMethod.Post, $"{DirectoryWorld.Uri}{location}?{query}") { IsForwarded = true };
            if (echo is not null)
            {
                request.Options.Add(echo.Options.First(static option => option.Number == Options.OptionNumber.Echo));
            }

            return world.SendAsync(request);
        }

        static bool EchoOf(CoapResponse response) => response.Options.Any(static option => option.Number == Options.OptionNumber.Echo);
    }

    [Fact]
    public async Task Look_ups_of_resources()
    {
        // Section 6.3: by type, observed, page by page, by the type of the endpoint.
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        await world.RegisterAsync("ep=t&base=coap://[2001:db8:3::123]:61616", "</temp>;rt=\"tag:example.org,2020:temperature\"");
        AssertLinks("<coap://[2001:db8:3::123]:61616/temp>;rt=\"tag:example.org,2020:temperature\"",
            await world.LinksAsync("rt=tag:example.org,2020:temperature"));

        List<CoapResponse> heard = [];
        CoapObservation observation = await world.Clock.AdvanceUntilAsync(world.MakeClient("[2001:db8::7]:5683").ObserveAsync(
            $"{DirectoryWorld.Uri}/rd-lookup/res?rt=tag:example.org,2020:light", heard.Add), TimeSpan.FromMinutes(1));
        await world.RegisterAsync("ep=l&base=coap://[2001:db8:3::124]", string.Join(",", new[] { "west", "south", "east" }
            .Select(static side => $"</{side}>;rt=\"tag:example.org,2020:light\"")));
        await world.Clock.AdvanceUntilAsync(() => heard.Count == 2, TimeSpan.FromMinutes(1));
        Assert.Equal("", heard[0].GetText());
        AssertLinks(string.Join(",", new[] { "west", "south", "east" }
            .Select(static side => $"<coap://[2001:db8:3::124]/{side}>;rt=\"tag:example.org,2020:light\"")), heard[1].GetText());
        Assert.True(heard[1].Options.Observe > heard[0].Options.Observe);
        await world.Clock.AdvanceUntilAsync(observation.DisposeAsync().AsTask(), TimeSpan.FromMinutes(1));

        await world.RegisterAsync("ep=pages&base=coap://[2001:db8:3::123]:61616",
            string.Join(",", Enumerable.Range(0, 10).Select(static i => $"</res/{i}>;ct=60")));
        for (int page = 0; page < 2; page++)
        {
            AssertLinks(string.Join(",", Enumerable.Range(5 * page, 5)
                .Select(static i => $"<coap://[2001:db8:3::123]:61616/res/{i}>;ct=60")),
                await world.LinksAsync($"ep=pages&page={page}&count=5"), inOrder: true);
        }

        StringBuilder expected = new();
        for (int sensor = 1; sensor <= 2; sensor++)
        {
            string host = $"coap://sensor{sensor}.example.com";
            await world.RegisterAsync($"ep=sensor{sensor}&base={host}&et=tag:example.com,2020:platform",
                "</sensors>;ct=40;title=\"Sensor Index\",</sensors/temp>;rt=temperature-c;if=sensor,"
                + "</sensors/light>;rt=light-lux;if=sensor,"
                + "<http://www.example.com/sensors/t123>;rel=describedby;anchor=\"/sensors/temp\","
                + "</t>;rel=alternate;anchor=\"/sensors/temp\"");
            expected.Append(sensor == 1 ? "" : ",")
                .Append($"<{host}/sensors>;ct=40;title=\"Sensor Index\",<{host}/sensors/temp>;rt=temperature-c;if=sensor,")
                .Append($"<{host}/sensors/light>;rt=light-lux;if=sensor,<http://www.example.com/sensors/t123>;rel=describedby;")
                .Append($"anchor=\"{host}/sensors/temp\",<{host}/t>;rel=alternate;anchor=\"{host}/sensors/temp\"");
        }

        AssertLinks(expected.ToString(), await world.LinksAsync("et=tag:example.com,2020:platform"));
    }

    [Fact]
    public async Task Look_ups_of_endpoints()
    {
        // Section 6.4.
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        const string Platform = "et=tag:example.com,2020:platform";
        string five = await world.RegisterAsync($"ep=node5&base=coap://[2001:db8:3::127]:61616&{Platform}&ct=40", "</5>");
        string seven = await world.RegisterAsync($"ep=node7&base=coap://[2001:db8:3::129]:61616&{Platform}&ct=40&d=floor-3", "</7>");
        await world.RegisterAsync("ep=node9&et=other", "</9>");
        const string Type = "et=\"tag:example.com,2020:platform\"";
        AssertLinks($"<{five}>;base=\"coap://[2001:db8:3::127]:61616\";ep=node5;{Type};ct=40;rt=core.rd-ep,"
            + $"<{seven}>;base=\"coap://[2001:db8:3::129]:61616\";ep=node7;{Type};ct=40;d=floor-3;rt=core.rd-ep",
            await world.EndpointsAsync(Platform));
    }

    [Fact]
    public async Task A_lighting_installation()
    {
        // Appendix A.1.2. The group is registered in its sector here and asked for by its whole type, as the text says; the example leaves
        // out the one, and shortens the other.
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        await world.RegisterAsync("ep=lm_R2-4-015_wndw&base=coap://[2001:db8:4::1]&d=R2-4-015", Lamps);
        await world.RegisterAsync("ep=lm_R2-4-015_door&base=coap://[2001:db8:4::2]&d=R2-4-015", Lamps);
        await world.RegisterAsync(
            "ep=ps_R2-4-015_door&base=coap://[2001:db8:4::3]&d=R2-4-015", "</ps>;rt=\"tag:example.com,2020:p-sensor\"");
        string group = await world.RegisterAsync("ep=grp_R2-4-015&et=core.rd-group&base=coap://[ff05::1]&d=R2-4-015", Lamps);
        AssertLinks($"<{group}>;ep=grp_R2-4-015;d=R2-4-015;et=core.rd-group;base=\"coap://[ff05::1]\";rt=core.rd-ep",
            await world.EndpointsAsync($"d=R2-4-015&et=core.rd-group&rt={Light}"));
        Assert.Equal("", await world.EndpointsAsync("d=R2-4-015&et=core.rd-group&rt=light"));
        Assert.Equal(9, CoapLinkFormat.Parse(await world.LinksAsync($"d=R2-4-015&rt={Light}")).Count);
    }

    [Fact]
    public async Task Groups()
    {
        // Appendix B.
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        const string Base = "coap://[ff35:30:2001:db8:f1::8000:1]";
        string group = await world.RegisterAsync($"ep=lights&et=core.rd-group&base={Base}",
            $"</light>;rt=\"{Light}\";if=\"tag:example.net,2020:actuator\",</color-temperature>;if=\"tag:example.net,2020:parameter\";u=K");
        AssertLinks($"<{group}>;ep=lights;et=core.rd-group;base=\"{Base}\";rt=core.rd-ep", await world.EndpointsAsync("et=core.rd-group"));
        AssertLinks($"<{Base}/light>;rt=\"{Light}\";if=\"tag:example.net,2020:actuator\","
            + $"<{Base}/color-temperature>;if=\"tag:example.net,2020:parameter\";u=K", await world.LinksAsync("et=core.rd-group"));
    }

    [Fact]
    public async Task A_simple_host_and_what_is_looked_up_of_it()
    {
        // Section 5.1, and appendix C.5 with the links of C.4. From the default port, as the base of the example has none.
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        CoapServer host = world.MakeServer("[2001:db8:f0::1]:5683");
        host.MapGet("/.well-known/core", static request => CoapResults.Bytes(Encoding.UTF8.GetBytes(
            "</sensors/temp>;rt=temperature;ct=0,</sensors/light>;rt=light-lux;ct=0,</t>;anchor=\"/sensors/temp\";rel=alternate,"
            + "<http://www.example.com/sensors/t123>;anchor=\"/sensors/temp\";rel=describedby"), CoapContentFormat.LinkFormat));
        await host.StartAsync();
        CoapResponse registered = await world.Clock.AdvanceUntilAsync(host.Endpoint.SendAsync(
            new CoapRequest(CoapMethod.Post, $"{DirectoryWorld.Uri}/.well-known/rd?ep=simple-host1")), TimeSpan.FromMinutes(2));
        Assert.Equal(CoapCode.Changed, registered.Code);
        AssertLinks("<coap://[2001:db8:f0::1]/sensors/temp>;rt=temperature;ct=0", await world.LinksAsync("rt=temperature"));
        AssertLinks("<coap://[2001:db8:f0::1]/sensors/temp>;rt=temperature;ct=0,<coap://[2001:db8:f0::1]/sensors/light>;rt=light-lux;ct=0,"
            + "<coap://[2001:db8:f0::1]/t>;anchor=\"coap://[2001:db8:f0::1]/sensors/temp\";rel=alternate,"
            + "<http://www.example.com/sensors/t123>;anchor=\"coap://[2001:db8:f0::1]/sensors/temp\";rel=describedby",
            await world.LinksAsync("ep=simple-host1"));
        await world.RegisterAsync("ep=other-host&base=coap+tcp://simple-host1.example.com", "</sensors/temp>;rt=temperature;ct=0");
        AssertLinks("<coap+tcp://simple-host1.example.com/sensors/temp>;rt=temperature;ct=0", await world.LinksAsync("ep=other-host"));
    }

    // Links are equal when their targets and attributes are, in whatever order and quoted or not.
    private static void AssertLinks(string expected, string actual, bool inOrder = false)
    {
        string[] wanted = Read(expected);
        string[] found = Read(actual);
        if (!inOrder)
        {
            Array.Sort(wanted, StringComparer.Ordinal);
            Array.Sort(found, StringComparer.Ordinal);
        }

        Assert.Equal(wanted, found);

        static string[] Read(string links) => [.. CoapLinkFormat.Parse(links).Select(static link => link.Target + " "
            + string.Join(' ', link.Attributes.Select(static one => $"{one.Name}={one.Value}").Order(StringComparer.Ordinal)))];
    }
}
