namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Names belong to identities that handshakes and contexts have shown (RFC 9176 section 7.5), over sockets of loopback.</summary>
public class IdentityTests
{
    [Theory]
    [InlineData("psk")]
    [InlineData("certificate")]
    [InlineData("key")]
    [InlineData("oscore")]
    [Rfc("9176-7.5-1")]
    public async Task Another_identity_cannot_change_a_registration_and_the_same_identity_can_from_a_new_address(string kind)
    {
        await using CoapDirectoryServer directory = new();
        await using SecuredPeers? peers = await SecuredPeers.TryStartAsync(
            kind, server => server.Routes.MapResourceDirectory(directory).AllowInsecureTransport());
        if (peers is null)
        {
            return;
        }

        CoapClient alice = peers.MakeClient("alice", 1);
        CoapClient mallory = peers.MakeClient("mallory", 1);
        CoapResponse registered = await PostAsync(alice, peers.Uri + "/rd?ep=a&lt=600", "</1>");
        registered.Gives(CoapCode.Created);
        string location = peers.Uri + "/" + string.Join("/", registered.Options.LocationPath);

        CoapResponse[] refused =
        [
            await PostAsync(mallory, peers.Uri + "/rd?ep=a", "</2>"),
            await PostAsync(mallory, location + "?lt=60"),
            await mallory.DeleteAsync(location),
        ];
        Assert.All(refused, one => Assert.Equal(CoapCode.Forbidden, one.Code));
        string before = (await mallory.GetAsync(peers.Uri + "/rd-lookup/res")).GetText();
        before.Mentions("//127.0.0.1:");
        before.Ends("/1>");

        await alice.DisposeAsync();
        CoapClient moved = peers.MakeClient("alice", 2);
        await PostAsync(moved, location).Gives(CoapCode.Changed);
        string after = (await mallory.GetAsync(peers.Uri + "/rd-lookup/res")).GetText();
        after.Mentions("//127.0.0.2:");
        await PostAsync(moved, peers.Uri + "/rd?ep=a", "</3>").Gives(CoapCode.Created);
        await moved.DeleteAsync(location).Gives(CoapCode.Deleted);

        // It is nobody's now.
        await PostAsync(mallory, peers.Uri + "/rd?ep=a", "</2>").Gives(CoapCode.Created);
        Assert.Equal(3, directory.GetCounters().Refusals);
        Assert.Equal(0, directory.GetCounters().Challenges);
    }

    [Fact]
    public async Task A_renewed_certificate_of_the_same_subject_and_issuer_is_the_same_identity()
    {
        await using CoapDirectoryServer directory = new();
        await using SecuredPeers? peers = await SecuredPeers.TryStartAsync(
            "certificate", server => server.Routes.MapResourceDirectory(directory));
        CoapResponse registered = await PostAsync(peers!.MakeClient("alice", 1), peers.Uri + "/rd?ep=a", "</1>");
        string location = peers.Uri + "/" + string.Join("/", registered.Options.LocationPath);

        await PostAsync(peers.MakeClient("alice", 2, isRenewed: true), location).Gives(CoapCode.Changed);
    }

    private static Task<CoapResponse> PostAsync(CoapClient client, string uri, string? links = null) => client.PostAsync(
        uri, links is null ? null : new CoapContent(Encoding.UTF8.GetBytes(links), CoapContentFormat.LinkFormat));
}
