using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Tests.Clients;

/// <summary>What is at the location of a registration may be somebody else's when the directory has restarted.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class RegistrationLocationTests
{
    [Fact]
    public async Task A_location_that_a_restarted_directory_gave_to_another_endpoint_is_left_alone()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync();
        site.Directory.Forget();
        SmallRegistration stranger = site.Directory.Add("stranger", "coap://[2001:db8::66]");
        Assert.Equal("/reg/1/", stranger.Path);

        await site.Site.RunAsync(() => site.Registration.Status.Location?.PathSegments is ["reg", "2", ""], FromHours(1));

        // Neither refreshed nor overwritten, and then it goes on at its own place.
        Assert.Equal(stranger.Until, site.Directory.Registrations.Single(one => one.Name == "stranger").Until);
        Assert.Equal(0, site.Count("POST /reg/1/"));
        await site.PassAsync(FromHours(1));
        Assert.NotEqual(0, site.Count("POST /reg/2/"));
        Assert.Equal(2, site.Count("POST /resourcedirectory/"));

        // Once more, and it stops before it noticed.
        site.Directory.Forget();
        site.Directory.Add("first", "coap://[2001:db8::66]");
        site.Directory.Add("second", "coap://[2001:db8::67]");
        await site.PassAsync(FromSeconds(11));
        await site.StopAsync();
        Assert.Equal(0, site.Count("DELETE"));
        Assert.Equal(["first", "second"], site.Directory.Registrations.Select(one => one.Name).Order());
    }

    [Theory]
    [InlineData("node1", true)]
    [InlineData("", false)]
    public async Task The_client_registers_again_under_its_name_when_the_owner_of_the_location_cannot_be_verified(
        string name, bool refusesLookups)
    {
        CoapRegistrationOptions options = RegistrationSite.Options(name);
        if (name.Length == 0)
        {
            // As a directory has it that knows endpoints by their credentials.
            options.Attributes["known"] = "1";
        }

        DirectorySite network = new();
        network.Directory.Answers = request => refusesLookups && request.Path == "/endpoint-lookup/" ? CoapResults.Forbidden()
            : name.Length == 0 && request.Path == "/resourcedirectory/" ? CoapResults.Created("/reg/7/") : null;
        await using RegistrationSite site = await RegistrationSite.StartAsync(options, site: network);

        await site.PassAsync(FromHours(2));

        Assert.InRange(site.Count("POST /resourcedirectory/"), 3, 4);
        Assert.Equal(0, site.Count("POST /reg/"));
        Assert.Equal(CoapRegistrationState.Registered, site.State);
        await site.StopAsync();
        Assert.Equal(1, site.Count("DELETE /reg/"));
    }

    [Fact]
    public async Task A_registration_at_a_directory_without_a_lookup_is_refreshed_at_its_location()
    {
        DirectorySite network = new();
        await using RegistrationSite site = await RegistrationSite.StartAsync(site: network);
        CoapDirectoryClient small = new(network.Client, CoapUri.Parse(DirectorySite.Address + "/resourcedirectory/"));
        CoapRegistration registration = CoapRegistration.Start(network.Client, small, RegistrationSite.Options("small"));
        await site.Site.RunAsync(registration.WhenRegisteredAsync());

        await site.PassAsync(FromHours(2));

        Assert.InRange(site.Count("POST /reg/2/"), 2, 3);
        Assert.Equal(2, site.Count("POST /resourcedirectory/"));
        await site.Clock.AdvanceUntilAsync(registration.DisposeAsync().AsTask(), FromMinutes(1));
        Assert.Equal(1, site.Count("DELETE /reg/2/"));
    }

    [Fact]
    public async Task An_expired_location_is_neither_refreshed_nor_removed()
    {
        DirectorySite network = new();
        await using RegistrationSite site = await RegistrationSite.StartAsync(site: network);
        CoapDirectoryClient small = new(network.Client, CoapUri.Parse(DirectorySite.Address + "/resourcedirectory/"));
        CoapRegistration registration = CoapRegistration.Start(network.Client, small, RegistrationSite.Options("small"));
        await site.Site.RunAsync(registration.WhenRegisteredAsync());

        // The machine sleeps for longer than the lifetime. Meanwhile the directory restarts, and other endpoints get the locations.
        site.Directory.Forget();
        site.Directory.Add("first", "coap://[2001:db8::66]");
        site.Directory.Add("second", "coap://[2001:db8::67]");
        site.Clock.JumpWallClock(FromHours(2));
        await site.PassAsync(FromMinutes(10) + FromSeconds(1));

        Assert.Equal(CoapRegistrationState.Registered, registration.Status.State);
        Assert.Equal(0, site.Count("POST /reg/"));
        Assert.Equal(4, site.Count("POST /resourcedirectory/"));

        // It stops before it noticed that its lifetime is over.
        int deleted = site.Count("DELETE");
        site.Clock.JumpWallClock(FromHours(2));
        await site.Clock.AdvanceUntilAsync(registration.DisposeAsync().AsTask(), FromMinutes(1));
        Assert.Equal(deleted, site.Count("DELETE"));
    }
}
