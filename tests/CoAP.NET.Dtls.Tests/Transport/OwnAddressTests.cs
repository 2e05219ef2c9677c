namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>Sessions that are loaded on another host: that sends from its own addresses.</summary>
public sealed class OwnAddressTests
{
    // TEST-NET-1: no host has it.
    private static readonly CoapAddress s_other = CoapAddress.Of(IPAddress.Parse("192.0.2.1"), 5684);

    [Fact]
    public async Task A_session_restored_from_another_host_sends_from_an_address_of_the_current_host()
    {
        using UdpClient device = new(new IPEndPoint(IPAddress.Loopback, 0));
        CoapAddress remote = CoapAddress.Of(IPAddress.Loopback, (ushort)((IPEndPoint)device.Client.LocalEndPoint!).Port);
        MemorySessionBackup backup = new();
        using SessionRig before = new(clock: new VirtualClock(TimeProvider.System.GetUtcNow()), backupOptions: backup.Options());
        (DtlsSession session, _) = before.Make(new DtlsPath(remote, s_other, 3), seed: 1, withCid: true, "device-1");
        before.Server.Open(session);
        await before.Server.SessionBackup!.StopAsync();

        MemorySessionBackup left = backup.AfterCrash();
        await using SecureEndpoints after = await new SecureEndpoints(options =>
        {
            options.PskStore = new CoapPskDictionary { { SecureEndpoints.Identity, SessionRig.Key } };
            options.SessionBackup = left.Options();
        }).StartAsync();
        CoapPeer peer = Assert.Single(after.Server.Endpoint.ConnectedPeers);
        Assert.Equal((remote, default), (peer.Address, peer.LocalAddress));
        using CancellationTokenSource patience = new(FromMinutes(4));
        Task ping = peer.PingAsync(cancellationToken: patience.Token);

        UdpReceiveResult heard = await device.ReceiveAsync(patience.Token);

        Assert.Equal(after.Endpoint, heard.RemoteEndPoint);
        await patience.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ping);
    }

    [Fact]
    public async Task The_local_address_of_a_session_is_kept_when_it_belongs_to_this_host_or_is_not_set()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        DtlsPath own = new(s_other, CoapAddress.Of(IPAddress.Loopback, 5684), 3);
        DtlsPath other = own with { Local = s_other };
        DtlsPath none = own with { Local = default };

        // What was asked last is remembered, and must be that address's.
        Assert.Equal([own, own with { Local = default, Tag = 0 }, none, own, own],
            ((DtlsPath[])[own, other, none, own, own]).Select(path => secure.Transport.Engine!.PathFor(path)));
    }
}
