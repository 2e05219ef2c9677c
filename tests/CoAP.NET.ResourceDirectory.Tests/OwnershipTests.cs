using System.Security.Claims;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Who may change what (RFC 9176 section 7.5, First-Come-First-Remembered).</summary>
[Collection(VirtualTimeCollection.Name)]
public class OwnershipTests
{
    private const string Secured = "coaps://[2001:db8::1]";

    [Fact]
    public async Task Users_with_the_same_display_name_and_issuer_are_different_registrants()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        CoapClient first = world.MakeClient("[2001:db8::3]:6000", "coaps", User("1001"));
        CoapClient again = world.MakeClient("[2001:db8::4]:6000", "coaps", User("1001"));
        CoapClient other = world.MakeClient("[2001:db8::3]:6001", "coaps", User("6666"));
        string location = await world.RegisterAsync("ep=boiler", "</1>", first, Secured);

        await world.PostAsync("/rd?ep=boiler", "</2>", other, Secured).Gives(CoapCode.Forbidden);
        await world.DeleteAsync(location, other, Secured).Gives(CoapCode.Forbidden);
        await world.PostAsync(location, client: again, uri: Secured).Gives(CoapCode.Changed);

        static CoapTestIdentity User(string id) => CoapTestIdentity.From(new CoapUserPeerIdentity(new ClaimsPrincipal(new ClaimsIdentity(
            [new Claim(ClaimTypes.NameIdentifier, id), new Claim(ClaimTypes.Name, "John Smith")], "web"))));
    }

    [Fact]
    public async Task A_name_is_free_after_its_lifetime()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        CoapClient first = world.MakeClient("[2001:db8::3]:6000", "coaps", CoapTestIdentity.Psk("alice"));
        CoapClient other = world.MakeClient("[2001:db8::3]:6001", "coaps", CoapTestIdentity.Psk("bob"));
        string location = await world.RegisterAsync("ep=a&lt=60", "</1>", first, Secured);

        world.Clock.Advance(FromSeconds(61));
        await world.RegisterAsync("ep=a", "</2>", other, Secured);

        await world.PostAsync(location, client: first, uri: Secured).Gives(CoapCode.Forbidden);
        Assert.Equal("<coaps://[2001:db8::3]:6001/2>", await world.LinksAsync());
    }

    [Fact]
    public async Task An_unsecured_registration_belongs_to_its_address()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        CoapClient port = world.MakeClient("[2001:db8::2]:6000");
        CoapClient stranger = world.MakeClient("[2001:db8::3]:5683");
        string location = await world.RegisterAsync("ep=a", "</1>");

        CoapResponse register = await world.PostAsync("/rd?ep=a", "</2>", stranger);
        CoapResponse remove = await world.DeleteAsync(location, stranger);

        register.Gives(CoapCode.Forbidden);
        Assert.Contains("another address", register.GetText());
        remove.Gives(CoapCode.Forbidden);
        await world.PostAsync(location, client: port).Gives(CoapCode.Changed);
    }

    [Fact]
    public async Task Any_client_may_change_unsecured_registrations_when_the_directory_allows_it()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(
            options => options.Unsecured = CoapUnsecuredRegistrations.Anyone);
        CoapClient stranger = world.MakeClient("[2001:db8::3]:5683");
        CoapClient alice = world.MakeClient("[2001:db8::3]:6000", "coaps", CoapTestIdentity.Psk("alice"));
        string open = await world.RegisterAsync("ep=a", "</1>");
        string owned = await world.RegisterAsync("ep=b", "</1>", alice, Secured);

        await world.DeleteAsync(open, stranger).Gives(CoapCode.Deleted);
        await world.DeleteAsync(owned, stranger).Gives(CoapCode.Forbidden);
    }

    [Fact]
    public async Task Clients_without_credentials_may_only_look_up_when_the_directory_requires_credentials()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(
            options => options.Unsecured = CoapUnsecuredRegistrations.Refused);
        CoapClient alice = world.MakeClient("[2001:db8::3]:6000", "coaps", CoapTestIdentity.Psk("alice"));
        string location = await world.RegisterAsync("ep=b", "</1>", alice, Secured);

        await world.PostAsync("/rd?ep=a", "</1>").Gives(CoapCode.Unauthorized);
        await world.PostAsync(location).Gives(CoapCode.Unauthorized);
        await world.DeleteAsync(location).Gives(CoapCode.Unauthorized);
        Assert.Equal("<coaps://[2001:db8::3]:6000/1>", await world.LinksAsync());
    }

    [Fact]
    public async Task The_endpoint_name_is_taken_from_the_credentials_when_the_directory_knows_it()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options =>
        {
            options.EndpointNameOf = peer =>
                peer.Identity is CoapDtlsPeerIdentity { PskIdentity: "alice" } ? "node-of-alice" : null;
            options.SectorOf = peer => peer.IsKnown ? "known" : null;
        });
        CoapClient alice = world.MakeClient("[2001:db8::3]:6000", "coaps", CoapTestIdentity.Psk("alice"));

        await world.RegisterAsync("d=other", "</1>", alice, Secured);
        CoapResponse other = await world.PostAsync("/rd?ep=x", "</1>", alice, Secured);

        Assert.Equal(CoapCode.Forbidden, other.Code);
        Assert.Contains("ep=\"node-of-alice\";d=\"known\"", await world.EndpointsAsync());
    }

    [Fact]
    public async Task A_client_that_returns_the_last_Echo_needs_one_round_trip_for_each_change()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        string location = await world.RegisterAsync("ep=a&lt=100", "</1>");
        for (int i = 0; i < 20; i++)
        {
            // Not by whole milliseconds.
            world.Clock.Advance(FromSeconds(40) + FromTicks(3_333 * i));
            await world.PostAsync(location).Gives(CoapCode.Changed);
        }

        await world.RegisterAsync("ep=a&lt=100", "</2>");
        await world.DeleteAsync(location).Gives(CoapCode.Deleted);

        Assert.Equal(0, world.Directory.GetCounters().Challenges);
        Assert.Equal(23, world.Server.Counters[CoapCounter.RequestsReceived]);
    }

    [Fact]
    [Rfc("9176-7.4-1")]
    public async Task An_update_with_an_Echo_older_than_the_last_change_is_challenged()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        string location = await world.RegisterAsync("ep=a", "</1>");

        // What the client does by itself on a challenge, by hand.
        CoapRequest stale = new(CoapMethod.Delete, DirectoryWorld.Uri + location) { IsForwarded = true };
        CoapResponse challenge = await world.SendAsync(stale);
        CoapRequest fresh = new(CoapMethod.Delete, DirectoryWorld.Uri + location) { IsForwarded = true };
        fresh.Options.Add(challenge.Options.First(option => option.Number == OptionNumber.Echo));
        world.Clock.Advance(FromSeconds(1));
        await world.RegisterAsync("ep=a", "</2>");
        CoapResponse late = await world.SendAsync(fresh);

        Assert.Equal(CoapCode.Unauthorized, challenge.Code);
        late.Gives(CoapCode.Unauthorized);
        Assert.Equal("<coap://[2001:db8::2]/2>", await world.LinksAsync());
        await world.DeleteAsync(location).Gives(CoapCode.Deleted);
    }
}
