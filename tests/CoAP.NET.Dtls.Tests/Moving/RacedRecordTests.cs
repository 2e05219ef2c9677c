using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>
/// An attacker that sees the records of a device delivers copies of them from its own address, before the originals: the device appears to
/// move (RFC 9146 section 6).
/// </summary>
public sealed class RacedRecordTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("9853-5.1-1", "9146-6-1")]
    public async Task A_copied_record_from_another_address_does_not_keep_messages_from_the_device(bool checksPaths)
    {
        int state = 0;
        TaskCompletionSource done = new(RunContinuationsAsynchronously);
        await using SecureEndpoints secure = Secure();
        CoapRouteHandlerBuilder route = secure.Server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        secure.Server.MapPost("/slow", async () =>
        {
            await done.Task;
            return CoapResults.Text("slow");
        });
        await secure.StartAsync();
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint, checksPaths: checksPaths);
        device.Send("41 01 0001 aa 60 55 'state'");
        await device.ExpectAsync("61 45 0001 aa .. ");
        device.Send("51 02 0002 ab b4 'slow'");
        CoapPeer peer = Assert.Single(secure.Server.Endpoint.ConnectedPeers);

        // The copy arrives first; the original is a duplicate then.
        using Socket thief = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        thief.Connect(secure.Endpoint);
        byte[] record = device.Seal("40 01 0003 b5 'hello'");
        thief.Send(record);
        await Eventually.IsTrueAsync(() => secure.Server.Counters[CoapCounter.PeersMoved] == 1);
        device.SendRaw(record);

        // The answer, and that of an earlier request, reach the device.
        await device.ExpectAsync("60 45 0003 ..");
        done.SetResult();
        await device.ExpectAsync("51 45 <slow:2> ab ..");

        // The attacker does not answer the check, so the device has its address again, and is notified.
        await Eventually.IsTrueAsync(() => peer.Address.Port == device.Source.Port && peer.IsVerified);
        Assert.Equal(0, secure.Server.Counters[CoapCounter.AddressesVerified]);
        Volatile.Write(ref state, 1);
        route.Notify();
        await device.ExpectAsync("41 45 <note:2> aa .. ");
        device.Send("60 00 <note>");
        Assert.False(device.IsEnded);
    }

    private static SecureEndpoints Secure() => new(endpoint: options =>
    {
        options.Limits.Peers.TrustedPrefixes.Clear();
        options.Parameters = CoapTransmissionParameters.Default with
        {
            AckTimeout = FromMilliseconds(20),
            AckRandomFactor = 1,
            MaxRetransmit = 2,
            PiggybackWindow = FromMinutes(1)
        };
    });
}
