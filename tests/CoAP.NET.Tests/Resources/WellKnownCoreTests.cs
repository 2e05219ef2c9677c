using CoAP.NET.Composition.Stages;
using CoAP.NET.Resources;

namespace CoAP.NET.Tests.Resources;

public class WellKnownCoreTests
{
    private readonly ResourceStage _stage = new();

    public WellKnownCoreTests() => Assert.NotNull(WellKnownCore.TryMap(_stage.Table));

    [Fact]
    [Rfc("6690-4-1", "7252-7.2-1")]
    public void Well_known_core_of_a_server_without_routes_is_answered_2_05_without_a_payload()
    {
        CoapResult result = _stage.Get("/.well-known/core");
        Assert.Equal(CoapCode.Content, result.Code);
        Assert.True(result.Options.TryGetUInt(OptionNumber.ContentFormat, out uint format));
        Assert.Equal(40u, format);
        Assert.True(result.Payload.IsEmpty);
    }

    [Fact]
    [Rfc("6690-4-1", "6690-3.3-1")]
    public void Visible_routes_are_listed_with_their_attributes()
    {
        _stage.MapGet("/sensors/temp", () => "21").WithResourceType("temperature-c", "core.s").WithInterface("sensor")
            .WithTitle("The \"temp\"").WithContentFormat(CoapContentFormat.TextPlain, CoapContentFormat.Json);
        _stage.MapPut("/sensors/temp", () => CoapResults.Changed()).WithResourceType("ignored").WithAttribute("obs");
        _stage.MapGet("/firmware", () => "").WithSize(262144).Produces(CoapContentFormat.OctetStream);
        _stage.MapGet("/hidden", () => "").ExcludeFromDiscovery();
        _stage.MapGroup("/internal").ExcludeFromDiscovery().MapGet("/x", () => "");
        _stage.MapGet("/devices/{id}", () => "");
        _stage.MapGet("/rooms/{id}", () => "").WithDiscoveryTarget("/rooms")
            .WithLink(new CoapLink("/t", new CoapLinkAttribute("anchor", "/rooms"), new CoapLinkAttribute("rel", "alternate")));
        _stage.MapGet("/caf%C3%A9 x", () => "");
        Assert.Equal(
            "</sensors/temp>;rt=\"temperature-c core.s\";if=\"sensor\";title=\"The \\\"temp\\\"\";ct=\"0 "
                + "50\";obs,</firmware>;sz=262144;ct=42,"
            + "</rooms>,</t>;anchor=\"/rooms\";rel=\"alternate\",</caf%C3%A9%20x>",
            Document());
    }

    [Fact]
    public void A_resource_class_is_listed_with_its_attributes()
    {
        _stage.Map(new Thing());
        Assert.Equal("</thing>;title=\"Thing\";rt=\"a b\";if=\"i\";ct=60;sz=5", Document());
    }

    [Theory]
    [Rfc("6690-4.1-1", "6690-4.1-2")]
    [InlineData("rt=Type2", "/link1 /link2")] // TD LINK_02, LINK_04
    [InlineData("rt=*", "/link1 /link2 /link3")] // LINK_03
    [InlineData("if=If*", "/link1 /link2")] // LINK_05
    [InlineData("sz=*", "/link2")] // LINK_06
    [InlineData("href=/link1", "/link1")] // LINK_07
    [InlineData("href=/link*", "/link1 /link2 /link3")] // LINK_08
    [InlineData("nosuch=*", "")] // FL-16
    public void A_query_filters_the_links_of_well_known_core(string query, string targets)
    {
        MapLinks();
        CoapResult result = _stage.Get("/.well-known/core", query);
        Assert.Equal(CoapCode.Content, result.Code);
        Assert.Equal(targets, string.Join(' ', CoapLinkFormat.Parse(result.Payload.Span).Select(link => link.Target)));
    }

    [Fact]
    [Rfc("6690-4.1-3")]
    public void A_group_discovery_request_without_a_match_gets_4_04()
    {
        MapLinks();
        _stage.Send(ResourceStage.Message(CoapMethod.Get, "/.well-known/core", "rt=none"), multicast: true).Gives(CoapCode.NotFound);
        _stage.Send(ResourceStage.Message(CoapMethod.Get, "/.well-known/core", "rt=Type1"), multicast: true).Gives(CoapCode.Content);
    }

    [Fact]
    [Rfc("6690-4-2", "7252-5.8.1-1")]
    public void Well_known_core_has_an_entity_tag_that_changes_with_the_routes()
    {
        MapLinks();
        CoapResult first = _stage.Get("/.well-known/core");
        Assert.Same(first, _stage.Get("/.well-known/core"));
        Assert.True(first.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> etag));
        CoapMessage again = ResourceStage.Message(CoapMethod.Get, "/.well-known/core");
        again.Options.Add(OptionNumber.ETag, etag);
        _stage.Send(again).Gives(CoapCode.Valid);
        CoapRouteHandlerBuilder extra = _stage.MapGet("/extra", () => "");
        _stage.Send(again).Gives(CoapCode.Content);
        Document().Mentions("</extra>");
        extra.Unmap();
        _stage.Send(again).Gives(CoapCode.Valid);
    }

    [Fact]
    [Rfc("6690-6-1")]
    public void WithDiscoveryCondition_lists_a_link_depending_on_the_request()
    {
        _stage.MapGet("/public", () => "");
        _stage.MapGroup("/secret").WithDiscoveryCondition(request => request.Accept is null).MapGet("/x", () => "");
        Assert.Equal("</public>,</secret/x>", Document());
        CoapMessage message = ResourceStage.Message(CoapMethod.Get, "/.well-known/core");
        message.Options.Accept = CoapContentFormat.LinkFormat;
        Assert.Equal("</public>"u8.ToArray(), _stage.Send(message).Payload.ToArray());
    }

    [Fact]
    [Rfc("6690-6-1")]
    public void Links_may_be_generated_for_each_request()
    {
        List<CoapLink> made = [];
        CoapRouteHandlerBuilder route = _stage.MapGet("/devices", () => "").WithLinks(request => request.Confirmable ? made : []);
        Assert.Equal("</devices>", Document());
        made.Add(new CoapLink("/devices/1", new CoapLinkAttribute("rt", "lamp")));
        Assert.Equal("</devices>,</devices/1>;rt=\"lamp\"", Document());
        made.Add(new CoapLink("/devices/2", new CoapLinkAttribute("rt", "door")));
        Assert.Equal("</devices/2>;rt=\"door\"", Document("rt=door"));

        // As the route itself: to nobody who is not shown that.
        route.WithDiscoveryCondition(static request => request.TryGetQuery("key", out _));
        Assert.Equal("", Document());
        Assert.Equal("</devices>,</devices/1>;rt=\"lamp\",</devices/2>;rt=\"door\"", Document("key"));
        route.ExcludeFromDiscovery();
        Assert.Equal("", Document("key"));
    }

    [Fact]
    public void Well_known_core_refuses_other_formats_and_methods()
    {
        CoapMessage message = ResourceStage.Message(CoapMethod.Get, "/.well-known/core");
        message.Options.AddUInt(OptionNumber.Accept, 50);
        _stage.Send(message).Gives(CoapCode.NotAcceptable);
        _stage.Send(CoapMethod.Post, "/.well-known/core").Gives(CoapCode.MethodNotAllowed);
    }

    [Fact]
    public void A_custom_well_known_core_route_is_not_replaced()
    {
        ResourceStage stage = new();
        stage.MapGet("/.well-known/core", () => "mine");
        Assert.Null(WellKnownCore.TryMap(stage.Table));
        Assert.Equal("mine"u8.ToArray(), stage.Get("/.well-known/core").Payload.ToArray());
    }

    private string Document(params string[] queries) =>
        Encoding.UTF8.GetString(_stage.Get("/.well-known/core", queries).Payload.Span);

    private void MapLinks()
    {
        _stage.MapGet("/link1", () => "").WithResourceType("Type1", "Type2").WithInterface("If1");
        _stage.MapGet("/link2", () => "").WithResourceType("Type2", "Type3").WithInterface("If2").WithSize(2048);
        _stage.MapGet("/link3", () => "").WithResourceType("Type1", "Type3").WithInterface("foo").WithAttribute("obs");
        _stage.MapGet("/test", () => "");
    }

    private sealed class Thing : CoapResource
    {
        public Thing()
            : base("/thing")
        {
            Title = "Thing";
            ResourceTypes = ["a", "b"];
            Interfaces = ["i"];
            ContentFormats = [CoapContentFormat.Cbor];
            Size = 5;
        }
    }
}
