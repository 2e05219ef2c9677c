using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Tests.Resources;

public class CoapResourceTests
{
    private readonly ResourceStage _stage = new();

    [Fact]
    [Rfc("7252-5.8-1")]
    public void Methods_that_a_resource_class_does_not_override_are_answered_4_05()
    {
        _stage.MapGroup("/admin").Map(new Lock("/lock"));
        _stage.Get("/admin/lock").Gives(CoapCode.Content);
        _stage.Send(CoapMethod.Put, "/admin/lock").Gives(CoapCode.Changed);
        foreach (CoapMethod method in new[] { CoapMethod.Post, CoapMethod.Delete, CoapMethod.Patch, CoapMethod.IPatch, (CoapMethod)31 })
        {
            _stage.Send(method, "/admin/lock").Gives(CoapCode.MethodNotAllowed);
        }

        Assert.Throws<InvalidOperationException>(() => _stage.MapGet("/admin/lock", () => "twice"));
    }

    [Fact]
    public void A_route_group_gives_its_prefix_and_settings_to_its_routes()
    {
        CoapRouteGroup group = _stage.MapGroup("/a").MapGroup("{b}").Produces(CoapContentFormat.Json);
        group.MapGet("/", request => request.Route["b"]);
        group.MapGet("/c", () => "c").Produces(CoapContentFormat.TextPlain);
        Assert.Equal("/a/{b}", group.Prefix);
        Assert.Equal("x"u8.ToArray(), _stage.Get("/a/x").Payload.ToArray());
        CoapMessage wantsText = ResourceStage.Message(CoapMethod.Get, "/a/x");
        wantsText.Options.AddUInt(CoAP.NET.OptionNumber.Accept, 0);
        _stage.Send(wantsText).Gives(CoapCode.NotAcceptable);
        wantsText = ResourceStage.Message(CoapMethod.Get, "/a/x/c");
        wantsText.Options.AddUInt(CoAP.NET.OptionNumber.Accept, 0);
        _stage.Send(wantsText).Gives(CoapCode.Content);
    }

    [Theory]
    [InlineData("/a/")]
    [InlineData("/{*x}")]
    public void A_group_prefix_that_cannot_be_extended_is_refused(string prefix) =>
        Assert.Throws<ArgumentException>(() => _stage.MapGroup(prefix));

    private sealed class Lock(string path) : CoapResource(path)
    {
        protected override ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken) => new("locked");

        protected override ValueTask<CoapResult> PutAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
            new(CoapResults.Changed());
    }
}
