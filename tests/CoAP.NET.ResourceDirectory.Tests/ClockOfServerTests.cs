namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>What a directory uses for time and chance that a method creates for a server.</summary>
public sealed class ClockOfServerTests
{
    [Fact]
    public async Task A_registration_expires_by_the_clock_of_the_server()
    {
        await using CoapEndpointPair pair = new();
        CoapDirectoryOptions options = new() { Unsecured = CoapUnsecuredRegistrations.Anyone, RequireFreshness = false };
        await using CoapDirectoryServer directory = pair.Server.MapResourceDirectory(options);
        await pair.StartAsync();
        CoapRequest request = new(CoapMethod.Post, CoapEndpointPair.Address + "/rd?ep=node&lt=60")
        {
            Content = new CoapContent("</t>"u8.ToArray(), CoapContentFormat.LinkFormat),
        };

        await pair.RunAsync(() => pair.Client.SendAsync(request)).Gives(CoapCode.Created);
        Assert.Equal(1, directory.Count);
        pair.Clock.Advance(FromSeconds(61));
        Assert.Equal(0, directory.Count);
    }

    [Fact]
    public async Task Two_runs_with_the_same_seed_give_a_registration_the_same_location()
    {
        Assert.Equal(await LocationAsync(), await LocationAsync());

        static async Task<string> LocationAsync()
        {
            await using CoapEndpointPair pair = new(options => options.Pipeline.Random = new VirtualRandom(7));
            await using CoapDirectoryServer directory = pair.Server.MapResourceDirectory(
                new CoapDirectoryOptions { Unsecured = CoapUnsecuredRegistrations.Anyone, RequireFreshness = false });
            await pair.StartAsync();
            CoapRequest request = new(CoapMethod.Post, CoapEndpointPair.Address + "/rd?ep=node")
            {
                Content = new CoapContent("</t>"u8.ToArray(), CoapContentFormat.LinkFormat),
            };
            return string.Join('/', (await pair.RunAsync(() => pair.Client.SendAsync(request))).Options.LocationPath);
        }
    }

    [Fact]
    public async Task Options_set_by_the_user_override_those_of_the_server()
    {
        VirtualClock clock = new();
        VirtualRandom random = new(1);
        await using CoapEndpointPair pair = new(options => options.Pipeline.Random = random);
        await using CoapDirectoryServer plain = pair.Server.MapResourceDirectory();
        Assert.Same(pair.Clock, plain.Core.Options.TimeProvider);
        Assert.Same(random, plain.Core.Options.Random);

        VirtualRandom own = new(2);
        await using CoapEndpointPair other = new();
        CoapDirectoryOptions given = new() { TimeProvider = clock, Random = own };
        await using CoapDirectoryServer set = other.Server.MapResourceDirectory(given);
        Assert.Same(clock, set.Core.Options.TimeProvider);
        Assert.Same(own, set.Core.Options.Random);
    }

    [Fact]
    public async Task The_directory_of_an_application_uses_the_clock_and_random_source_of_its_first_server()
    {
        VirtualClock clock = new();
        VirtualRandom random = new(1);
        ServiceCollection services = new();
        services.AddSingleton<CoapRandomSource>(random);
        services.AddCoapServer(options => options.Endpoint.TimeProvider = clock).MapResourceDirectory();
        await using ServiceProvider provider = services.BuildServiceProvider();

        await using CoapServer server = provider.GetRequiredService<CoapServer>();
        CoapDirectoryServer directory = provider.GetRequiredService<CoapDirectoryServer>();

        Assert.Same(clock, directory.Core.Options.TimeProvider);
        Assert.Same(random, directory.Core.Options.Random);
    }
}
