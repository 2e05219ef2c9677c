namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Options of users are protected as their definitions say.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DeclaredProtectionTests
{
    private const int Number = 65_000;

    [Theory]
    [InlineData(OptionProtection.Encrypted, false)]
    [InlineData(OptionProtection.Unprotected, true)]
    public async Task A_custom_option_is_visible_outside_OSCORE_only_if_its_definition_says_so(OptionProtection protection, bool isVisible)
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(
            new Factory(new OptionDefinition(Number, "Mine", OptionFormat.Opaque, 1, 1) { Protection = protection }));
        await using OscoreWorld world = new();
        CoapServer server = world.Server(options =>
        {
            options.UseOscore(new OscoreContexts().Add(OscoreWorld.ServerContext()));
            options.Registry = registry;
        });
        server.MapGet("/x", request => CoapResults.Text($"{request.Options.Contains(Number)}")
            .With(new UnrecognizedOption(Number, new byte[] { 7 }))).RequireOscore();
        await server.StartAsync();
        CoapClient client = world.Client(OscoreWorld.ClientContext(), options => options.Registry = registry);
        CoapRequest request = new(CoapMethod.Get, OscoreWorld.ServerUri + "/x");
        request.Options.Add(Number, [7]);

        CoapResponse response = await world.SendAsync(client, request);
        response.Says("True");
        Assert.True(response.Options.Contains(Number));
        Assert.Equal([isVisible, isVisible], world.Wire.Select(static message => message.Options.Contains(Number)));
    }

    private sealed class Factory(OptionDefinition definition) : IOptionFactory
    {
        public OptionDefinition Definition => definition;

        public CoapOption Create(OptionData data) => new UnrecognizedOption(data.Number, data.Value.ToArray());
    }
}
