using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>
/// Devices that moved and never answer what they are asked: in whose name somebody could have others sent what they did not ask for.
/// </summary>
public sealed class SilentDeviceTests
{
    private const int FreeBytes = 136;
    private const int Factor = 3;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("9146-6-1")]
    public async Task At_most_three_times_the_bytes_received_from_a_new_address_are_sent_to_that_address(bool asks)
    {
        await using SecureEndpoints secure = new(endpoint: options =>
        {
            options.Limits.Peers.TrustedPrefixes.Clear();
            options.Parameters = CoapTransmissionParameters.Default with
            {
                AckTimeout = FromMilliseconds(5),
                AckRandomFactor = 1,
                MaxRetransmit = 8,
                PiggybackWindow = FromMinutes(1)
            };
        });
        await secure.StartAsync();
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint);
        device.Send("40 01 0001 b5 'hello'");
        await device.ExpectAsync("60 45 0001 ..");
        CoapPeer peer = Assert.Single(secure.Server.Endpoint.ConnectedPeers);
        device.Move();
        device.Send("40 01 0002 b5 'hello'");
        await device.ExpectAsync("60 45 0002 ..");

        // What the server says of its own: the question whether the device is there, and small requests.
        using CancellationTokenSource end = new();
        Task<CoapResponse>[] asked = asks
            ? [.. Enumerable.Range(0, 8)
                .Select(_ => peer.SendAsync(new CoapRequest(CoapMethod.Get, "/x") { Confirmable = false }, end.Token))]
            : [];
        await Eventually.IsTrueAsync(() => secure.Server.Counters[CoapCounter.AmplificationRefused] >= 4);
        await device.DrainAsync();

        Assert.InRange(device.ReceivedBytes, 1, Math.Max(Factor * device.SentBytes, FreeBytes));
        Assert.Equal(0, secure.Server.Counters[CoapCounter.AddressesVerified]);

        // Whoever goes on asking is answered nevertheless.
        for (int i = 3; i < 30; i++)
        {
            device.Send($"40 01 {i:x4} b5 'hello'");
            await device.ExpectAsync($"60 45 {i:x4} ..");
            await device.DrainAsync();
            Assert.InRange(device.ReceivedBytes, 1, Math.Max(Factor * device.SentBytes, FreeBytes));
        }

        await end.CancelAsync();
        foreach (Task<CoapResponse> request in asked)
        {
            await Assert.ThrowsAnyAsync<Exception>(() => request);
        }
    }
}
